/** Gives a member another role. */
import { type Actor, recordAuditEvent } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { findPersonById } from '../persons/person-store.ts';
import { setOwnedAccount } from '../sessions/session-store.ts';
import { lockMembers, ownersOf, replaceMember, roleOf, setMember } from './member-store.ts';
import { type Role, rolesWith } from './roles.ts';
import { tellMember } from './tell-member.ts';

export interface RoleChange {
  readonly accountId: string;
  readonly personId: string;
  readonly role: Role;
  readonly actor: Actor;
}

/**
 * An account has an owner, always. A person who may no longer allow apps loses what they have allowed: otherwise, a viewer
 * could go on with an app.
 *
 * @returns `last-owner` if it would lose the only one. Nothing has changed then
 */
export async function changeRole(
  db: Db,
  { accountId, personId, role, actor }: RoleChange,
): Promise<'changed' | 'same' | 'last-owner' | 'no-member'> {
  return inTransaction(db, async (transaction) => {
    await lockMembers(transaction, accountId);
    const before = await roleOf(transaction, accountId, personId);
    const person = await findPersonById(transaction, personId);
    if (before === undefined || !person) return 'no-member';
    if (before === role) return 'same';
    if (before === 'owner' && (await ownersOf(transaction, accountId)) === 1) return 'last-owner';
    const change = mayAllowApps(before) && !mayAllowApps(role) ? replaceMember : setMember;
    await change(transaction, accountId, personId, role);
    if (before === 'owner' || role === 'owner')
      await setOwnedAccount(transaction, accountId, personId, role === 'owner');
    await recordAuditEvent(transaction, {
      ...{ accountId, actor, action: 'member.role', details: { from: before, to: role } },
      subject: { id: personId, name: person.email },
    });
    await tellMember(transaction, { accountId, personId, event: 'member.role', by: actor });
    return 'changed';
  });
}

const mayAllowApps = (role: Role): boolean => rolesWith('manageKeys').includes(role);
