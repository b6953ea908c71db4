/** Gives an account another address. */
import { type Actor, recordAuditEvent } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { tryInTransaction } from '../../database/transaction.ts';
import { setOwnerEmail } from './account-store.ts';

export interface Renaming {
  readonly id: string;
  /** The address that it has. */
  readonly from: string;
  readonly to: string;
  readonly actor: Actor;
}

/** @returns `taken` if another account has the address, and `gone` if the account has another one by now, or was deleted */
export async function renameAccount(
  db: Db,
  { id, from, to, actor }: Renaming,
): Promise<'renamed' | 'taken' | 'gone'> {
  return tryInTransaction<'renamed' | 'taken' | 'gone'>(db, async (transaction, rollBack) => {
    const renamed = await setOwnerEmail(transaction, id, from, to);
    // A violation ends the transaction.
    if (renamed === 'taken') return rollBack('taken');
    if (!renamed) return 'gone';
    const details = { from, to };
    await recordAuditEvent(transaction, { accountId: id, actor, action: 'account.rename', details });
    return 'renamed';
  });
}
