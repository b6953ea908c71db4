/** Deletes an account that may have any number of batches. */

import type { Db } from '../../database/schema.ts';
import { deleteAccount } from '../../people/accounts/account-store.ts';
import { deleteBatchesOf, lockAccount } from './manage-batches-store.ts';

/**
 * Deletes an account and all its data in one transaction.
 *
 * @returns whether the account existed
 */
export async function deleteAccountWithBatches(db: Db, id: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await lockAccount(transaction, id);
    await deleteBatchesOf(transaction, id);
    return deleteAccount(transaction, id);
  });
}
