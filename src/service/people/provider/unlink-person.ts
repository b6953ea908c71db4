/** Forgets who a person is at the provider, for people to whom the provider has given another subject. */
import type { Actor } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { factorsOf } from '../factors/factor-store.ts';
import { recordAboutPerson } from '../members/record-about-person.ts';
import type { Someone } from '../persons/person-store.ts';
import { endSession } from '../sessions/session-store.ts';
import { deleteIdentities, findLoggedOut } from './provider-store.ts';

/** Sessions with a password go on. @returns whether there was a link */
export function unlinkPerson(db: Db, person: Someone, actor: Actor): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    if (!(await factorsOf(transaction, person.id)).hasProvider) return false;
    await recordAboutPerson(transaction, { person, actor, action: 'person.unlink' });
    const unlinked = await deleteIdentities(transaction, person.id);
    for (const identity of unlinked)
      for (const session of await findLoggedOut(transaction, { ...identity, sid: undefined }))
        await endSession(transaction, session);
    return true;
  });
}
