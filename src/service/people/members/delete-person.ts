/** Deletes a person. Everything of their sign-in goes with the row. */
import type { Actor } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { deletePerson, lockPerson } from '../persons/person-store.ts';
import { endMembership } from './end-membership.ts';
import { membershipsOf } from './member-store.ts';

/** @returns the address of an account that the person is the only owner of. Nothing has changed then */
export async function deletePersonWithMemberships(
  db: Db,
  personId: string,
  actor: Actor,
): Promise<'deleted' | 'gone' | { readonly onlyOwnerOf: string }> {
  for (;;) {
    const deleted = await deleteOnce(db, personId, actor);
    // Each further round needs an account that takes the person in during the one before.
    if (deleted !== 'joined') return deleted;
  }
}

async function deleteOnce(db: Db, personId: string, actor: Actor) {
  try {
    return await db.transaction().execute(async (transaction) => {
      const memberships = await membershipsOf(transaction, personId);
      // Several accounts are locked by id.
      const byId = [...memberships].sort((one, other) => (one.accountId < other.accountId ? -1 : 1));
      for (const { accountId, ownerEmail } of byId) {
        const ended = await endMembership(transaction, { accountId, personId, actor });
        if (ended === 'last-owner') throw new OnlyOwner(ownerEmail);
      }
      if (!(await lockPerson(transaction, personId))) return 'gone';
      // From now on, no account can take the person in. One that has would lose its owner with the person.
      if ((await membershipsOf(transaction, personId)).length > 0) throw new Joined();
      await deletePerson(transaction, personId);
      return 'deleted';
    });
  } catch (error) {
    if (error instanceof OnlyOwner) return { onlyOwnerOf: error.ownerEmail };
    if (error instanceof Joined) return 'joined';
    throw error;
  }
}

/** Rolls back the memberships that have ended. */
class OnlyOwner extends Error {
  constructor(readonly ownerEmail: string) {
    super('the person is the only owner of an account');
  }
}

class Joined extends Error {}
