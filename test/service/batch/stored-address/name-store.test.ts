import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createMatcher } from '../../../../src/service/batch/stored-address/match-address.ts';
import { candidateNames, candidateUrls } from '../../../../src/service/batch/stored-address/name-store.ts';
import { makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';

const { db } = await testDatabase();

it('finds an address in the names of an account that has made thousands of batches', async () => {
  const accountId = await makeAccount(db);
  await sql`
    insert into batches (id, account_id, mode, total, distinct_total, retries, name, url, created_at)
    select lpad(to_hex(number), 24, '0'), ${accountId}, 'live', 1, 1, true,
      case when number in (1, 2000, 4001) then 'Jo@Example.com ' || number || '.csv' end,
      case when number in (1, 2001, 4001) then 'https://shop.example/?for=jo%40example.com&n=' || number end,
      now() - number / 3 * interval '1 minute'
    from generate_series(1, 4001) as number
  `.execute(db);
  await sql`
    insert into audit (account_id, actor, actor_name, action, subject_name)
    select ${accountId}, 'owner', 'owner', 'batch.create', case when number in (1, 2000, 4001) then 'jo@example.com' end
    from generate_series(1, 4001) as number
  `.execute(db);
  const { ascii } = createMatcher('jo@example.com');
  const names = await candidateNames(db, accountId, ascii);
  expect(names.map(({ of, name }) => [of, name])).toEqual([
    ...[4001, 2000, 1].map((number) => ['batch', `"Jo@Example.com ${number}.csv"`]),
    ...Array.from({ length: 3 }, () => ['log', '"jo@example.com"']),
  ]);
  const urls = await candidateUrls(db, accountId, ascii);
  expect(urls.map(({ url }) => url.split('n=').at(-1))).toEqual(['4001', '2001', '1']);
});
