/** Changes and ends memberships for people of the account, within their rights. */
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { changeRole } from './change-role.ts';
import { endMembership } from './end-membership.ts';
import type { Manager } from './invitations.ts';
import { lockMembers, roleOf } from './member-store.ts';
import { type Role, rightOver, rolesWith } from './roles.ts';

export type Managed =
  | 'done'
  /** The account would have no owner. */
  | 'last-owner'
  /** For example, an admin may not change an owner. */
  | 'not-allowed'
  | 'no-such-member';

/** Gives a member another role. */
export function setRole(db: Db, manager: Manager, personId: string, role: Role): Promise<Managed> {
  const { accountId, actor } = manager;
  return manage(db, manager, personId, [role], (transaction) =>
    changeRole(transaction, { accountId, personId, role, actor }),
  );
}

/** Ends a membership. */
export function endMember(db: Db, manager: Manager, personId: string): Promise<Managed> {
  const { accountId, actor } = manager;
  return manage(db, manager, personId, [], (transaction) =>
    endMembership(transaction, { accountId, personId, actor }),
  );
}

/**
 * Reads the roles of both while nobody can change them: since the page was shown, the member may have become an owner, and
 * whoever sent the form may have another role.
 *
 * @param roles the new ones
 */
async function manage(
  db: Db,
  { accountId, personId: managerId }: Manager,
  personId: string,
  roles: readonly Role[],
  change: (transaction: Db) => Promise<unknown>,
): Promise<Managed> {
  return inTransaction(db, async (transaction) => {
    await lockMembers(transaction, accountId);
    const own = await roleOf(transaction, accountId, managerId);
    const before = await roleOf(transaction, accountId, personId);
    if (own === undefined) return 'not-allowed';
    if (before === undefined) return 'no-such-member';
    const isAllowed = [before, ...roles].every((role) => rolesWith(rightOver(role)).includes(own));
    if (!isAllowed) return 'not-allowed';
    return (await change(transaction)) === 'last-owner' ? 'last-owner' : 'done';
  });
}
