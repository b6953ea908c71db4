/** Lets the role of a member follow the groups that the provider names. It never makes or changes an owner. */
import type { GivenRole } from '../../config/sections/oidc-section.ts';
import type { Db } from '../../database/schema.ts';
import { giveRole, removeMember, roleOf } from '../members/member-store.ts';
import type { Role } from '../members/roles.ts';
import type { Person } from '../persons/person-store.ts';

/**
 * @param role what the groups give. Without it, the membership ends
 * @returns the role of the person afterwards
 */
export async function followGroups(
  db: Db,
  accountId: string,
  person: Person,
  role: GivenRole | undefined,
): Promise<Role | 'none'> {
  const before = await roleOf(db, accountId, person.id);
  if (before === 'owner' || before === role) return before ?? 'none';
  if (role === undefined) {
    if (before !== undefined) await removeMember(db, accountId, person.id);
    return 'none';
  }
  // The person may have become an owner meanwhile.
  return giveRole(db, accountId, person.id, role);
}
