import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { deleteAccountWithBatches } from '../../../../src/service/batch/manage/delete-account.ts';
import { findAccountById } from '../../../../src/service/people/accounts/account-store.ts';
import { makeAccount } from '../../support/account.ts';
import { createBatch, rowsOf } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';

const { db } = await testDatabase();

it('deletes an account whose batches have more addresses than one statement can delete', async () => {
  const accountId = await makeAccount(db, 9);
  const batches = await Promise.all([1, 2, 3].map(() => createBatch(db, 3, { accountId })));
  const other = await createBatch(db, 3);
  // The server ends a statement after 9 seconds. In that time, it deletes some 30 large batches.
  await sql`
    create function refuse_several() returns trigger language plpgsql as $$
    begin
      if (select count(distinct batch_id) from gone) > 1 then
        raise 'Expected a statement to delete addresses of one batch, got several.';
      end if;
      return null;
    end
    $$
  `.execute(db);
  await sql`
    create trigger refuse_several after delete on batch_rows referencing old table as gone
      for each statement execute function refuse_several()
  `.execute(db);
  expect(await deleteAccountWithBatches(db, accountId)).toBe(true);
  for (const { id } of batches) expect(await rowsOf(db, id)).toEqual([]);
  expect(await findAccountById(db, accountId)).toBeUndefined();
  expect(await rowsOf(db, other.id)).toHaveLength(3);
});

it('says that there is no such account', async () => {
  expect(await deleteAccountWithBatches(db, 'acc_0')).toBe(false);
});
