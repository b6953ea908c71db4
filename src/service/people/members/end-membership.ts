/**
 * Ends a membership. What the person made in the account stays. The tokens that apps got from the person for the account
 * are deleted with the row, as its foreign keys say.
 */
import { type Actor, recordAuditEvent } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { findPersonById } from '../persons/person-store.ts';
import { leaveAccount } from '../sessions/session-store.ts';
import { deleteMember, lockMembers, ownersOf, roleOf } from './member-store.ts';
import { tellMember } from './tell-member.ts';

export interface MembershipEnd {
  readonly accountId: string;
  readonly personId: string;
  readonly actor: Actor;
}

/** An account has an owner, always. @returns `last-owner` if the person is the only one. Nothing has changed then */
export async function endMembership(
  db: Db,
  { accountId, personId, actor }: MembershipEnd,
): Promise<'ended' | 'last-owner' | 'no-member'> {
  return inTransaction(db, async (transaction) => {
    await lockMembers(transaction, accountId);
    const role = await roleOf(transaction, accountId, personId);
    const person = await findPersonById(transaction, personId);
    if (role === undefined || !person) return 'no-member';
    if (role === 'owner' && (await ownersOf(transaction, accountId)) === 1) return 'last-owner';
    await deleteMember(transaction, accountId, personId);
    await leaveAccount(transaction, accountId, personId);
    await recordAuditEvent(transaction, {
      ...{ accountId, actor, action: 'member.end', details: { role } },
      subject: { id: personId, name: person.email },
    });
    await tellMember(transaction, { accountId, personId, event: 'member.left', by: actor });
    return 'ended';
  });
}
