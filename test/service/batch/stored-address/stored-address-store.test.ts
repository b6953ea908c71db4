import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createMatcher } from '../../../../src/service/batch/stored-address/match-address.ts';
import { candidateNames } from '../../../../src/service/batch/stored-address/name-store.ts';
import { searchedLists } from '../../../../src/service/batch/stored-address/stored-address-store.ts';
import { makeAccount } from '../../support/account.ts';
import { createBatch } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';

const { db } = await testDatabase();

/** Lists of an account, of which three always have the same time. */
const makeLists = (accountId: string, count: number) =>
  sql`
    insert into lists (id, account_id, name, header, columns, row_count, address_column, created_at)
    select substr(md5(${accountId} || number), 1, 24), ${accountId},
      case when number % 500 = 1 then 'jo@example.com ' || number || '.csv' else 'list ' || number end,
      '["Email"]', 1, 1, 0, now() - number / 3 * interval '1 minute'
    from generate_series(1, ${count}::integer) as number
  `.execute(db);

it('goes through all lists of an account, oldest first, a few in a statement', async () => {
  const [accountId, stranger] = [await makeAccount(db), await makeAccount(db)];
  await makeLists(accountId, 7);
  await makeLists(stranger, 2);
  const { id: batchId } = await createBatch(db, 1, { accountId });
  await sql`
    update lists set batch_id = ${batchId} where account_id = ${accountId} and name = 'list 3'
  `.execute(db);
  await sql`
    insert into list_rows (list_id, number, cells) select id, 4, '[]' from lists where name = 'list 3' and batch_id is not null
  `.execute(db);
  const { rows: inOrder } = await sql<{ id: string }>`
    select id from lists where account_id = ${accountId} order by created_at, id
  `.execute(db);
  for (const size of [1, 2, 3, 7, 100]) {
    const lists = await searchedLists(db, accountId, size);
    expect(lists.map(({ id }) => id)).toEqual(inOrder.map(({ id }) => id));
    expect(lists.find(({ name }) => name === 'list 3')).toMatchObject({
      ...{ batch_id: batchId, header: ['Email'], is_open: true, last_number: 4 },
    });
    expect(lists.find(({ name }) => name === 'list 2')).toMatchObject({
      ...{ batch_id: null, is_open: false, last_number: null },
    });
  }
});

it('finds an address in the names of thousands of lists', async () => {
  const accountId = await makeAccount(db);
  await makeLists(accountId, 2_100);
  const names = await candidateNames(db, accountId, createMatcher('jo@example.com').ascii);
  expect(names.map(({ of, name }) => [of, name])).toEqual(
    [2001, 1501, 1001, 501, 1].map((number) => ['list', `"jo@example.com ${number}.csv"`]),
  );
});
