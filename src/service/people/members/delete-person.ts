/** Deletes a person. Everything of their sign-in goes with the row. */
import type { Actor } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { tryInTransaction } from '../../database/transaction.ts';
import { deletePerson, lockPerson } from '../persons/person-store.ts';
import { endMembership } from './end-membership.ts';
import { membershipsOf } from './member-store.ts';

type Deleted = 'deleted' | 'gone' | { readonly onlyOwnerOf: string };

/** @returns the address of an account that the person is the only owner of. Nothing has changed then */
export async function deletePersonWithMemberships(db: Db, personId: string, actor: Actor): Promise<Deleted> {
  for (;;) {
    const deleted = await deleteOnce(db, personId, actor);
    // Each further round needs an account that takes the person in during the one before.
    if (deleted !== 'joined') return deleted;
  }
}

const deleteOnce = (db: Db, personId: string, actor: Actor) =>
  tryInTransaction<Deleted | 'joined'>(db, async (transaction, rollBack) => {
    const memberships = await membershipsOf(transaction, personId);
    // Several accounts are locked by id.
    const byId = [...memberships].sort((one, other) => (one.accountId < other.accountId ? -1 : 1));
    for (const { accountId, ownerEmail } of byId) {
      const ended = await endMembership(transaction, { accountId, personId, actor });
      if (ended === 'last-owner') return rollBack({ onlyOwnerOf: ownerEmail });
    }
    if (!(await lockPerson(transaction, personId))) return 'gone';
    // From now on, no account can take the person in. One that has would lose its owner with the person.
    if ((await membershipsOf(transaction, personId)).length > 0) return rollBack('joined');
    await deletePerson(transaction, personId);
    return 'deleted';
  });
