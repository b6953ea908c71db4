/** Locks a person and all their accounts for a change of the person, which the logs of all these accounts record. */
import type { Db } from '../../database/schema.ts';
import { holdAccount } from '../accounts/account-store.ts';
import { membershipsOf } from '../members/member-store.ts';
import { holdPerson } from './factor-store.ts';

/** Accounts are locked before persons, and by id, so that there are no deadlocks. */
export async function holdingPerson<Result>(
  db: Db,
  personId: string,
  run: (transaction: Db) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (transaction) => {
    const accountIds = (await membershipsOf(transaction, personId)).map(({ accountId }) => accountId);
    for (const accountId of accountIds.sort()) await holdAccount(transaction, accountId);
    await holdPerson(transaction, personId);
    return run(transaction);
  });
}
