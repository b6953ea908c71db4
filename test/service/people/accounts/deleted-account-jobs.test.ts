/** What workers and operators see of deleted accounts that still have data. */
import { expect, it } from 'vitest';
import { accountJobs } from '../../../../src/service/people/accounts/account-jobs.ts';
import {
  findDeletedByEmail,
  findUnlockedDeleted,
  markDeleted,
  removeAccount,
} from '../../../../src/service/people/accounts/account-store.ts';
import { testDatabase } from '../../support/database.ts';
import { makePerson } from '../../support/visitor.ts';

const database = await testDatabase();
const { db } = database;

it('counts them, says since when there are some, and gives each to one worker', async () => {
  expect(await accountJobs(db, new Date())).toMatchObject([
    { count: 0, since: null, inWords: '0 deleted accounts have data left, which workers delete.' },
  ]);
  expect(await findUnlockedDeleted(db)).toBeUndefined();
  const [first, second] = [await makePerson(db), await makePerson(db)];
  expect([await markDeleted(db, first.id), await markDeleted(db, first.id)]).toEqual([true, false]);
  const [one] = await accountJobs(db, new Date());
  const later = new Date(one!.since!.getTime() + 2 * 3_600_000);
  const said = '1 deleted account has data left, which workers delete. The first was deleted 2 hours ago.';
  expect((await accountJobs(db, later))[0]!.inWords).toBe(said);
  await markDeleted(db, second.id);
  const other = database.connect();
  await db.transaction().execute(async (transaction) => {
    expect(await findUnlockedDeleted(transaction)).toBe(first.id);
    expect(await findUnlockedDeleted(other)).toBe(second.id);
  });
  expect(await findDeletedByEmail(db, second.email.toUpperCase())).toMatchObject({ id: second.id });
  await removeAccount(db, first.id);
  expect(await findUnlockedDeleted(db)).toBe(second.id);
});
