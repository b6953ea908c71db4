/** Shared by the sections of the members' page. */
import type { Manager } from '../../people/members/invitations.ts';
import { ROLES, type Role, rightOver } from '../../people/members/roles.ts';
import { actorOf, type Visit } from '../visit.ts';

export const MEMBERS = '/dashboard/members';

export const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text);

/** The roles that the person may give. */
export const rolesFor = ({ may }: Visit): readonly Role[] => ROLES.filter((role) => may(rightOver(role)));

/** The person, as who changes members. */
export const managerOf = (visit: Visit): Manager => ({
  accountId: visit.accountId,
  personId: visit.person.id,
  actor: actorOf(visit),
});
