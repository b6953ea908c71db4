/** Lets the role of a member follow the groups that the provider names. It never makes or changes an owner. */
import { recordAuditEvent } from '../../audit/audit-store.ts';
import type { GivenRole } from '../../config/sections/oidc-section.ts';
import type { Db } from '../../database/schema.ts';
import { changeRole } from '../members/change-role.ts';
import { endMembership } from '../members/end-membership.ts';
import { lockMembers, roleOf, setMember } from '../members/member-store.ts';
import type { Role } from '../members/roles.ts';
import type { Person } from '../persons/person-store.ts';

const actor = { kind: 'service' } as const;

/** @param role what the groups give. Without it, the membership ends @returns the role of the person afterwards */
export async function followGroups(
  db: Db,
  accountId: string,
  person: Person,
  role: GivenRole | undefined,
): Promise<Role | 'none'> {
  const isSettled = (is: Role | undefined) => is === 'owner' || is === role;
  const before = await roleOf(db, accountId, person.id);
  if (isSettled(before)) return before ?? 'none';
  await lockMembers(db, accountId);
  const now = await roleOf(db, accountId, person.id);
  // The person may have become an owner meanwhile.
  if (isSettled(now)) return now ?? 'none';
  const change = { accountId, personId: person.id, actor };
  if (role === undefined) await endMembership(db, change);
  else if (now !== undefined) await changeRole(db, { ...change, role });
  else {
    await setMember(db, accountId, person.id, role);
    await recordAuditEvent(db, {
      ...{ accountId, actor, action: 'member.add', details: { role } },
      subject: { id: person.id, name: person.email },
    });
  }
  return role ?? 'none';
}
