/** Who may do what in an account. Pages, forms, routes and the menu ask this table by the name of a right. */
import type { MemberSettings } from '../../config/sections/members-section.ts';

/** The roles, the one that may do the most first. */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Each right, who has it, and what it allows, as in “You may not …”. */
export const RIGHTS = {
  see: { roles: ROLES, what: 'see this account' },
  /** Viewers have it, too, where the setting `members.viewersDownload` allows it. */
  download: { roles: ['owner', 'admin', 'member'], what: 'download or look up email addresses' },
  /** One address, and lists and batches of one's own. */
  verify: { roles: ['owner', 'admin', 'member'], what: 'verify email addresses' },
  /** Also those of others, with the retention, the callback target and the erasure of an address. */
  manageBatches: {
    roles: ['owner', 'admin'],
    what: 'change what others have uploaded, or the settings of batches',
  },
  /** Members change and revoke only those that they have made. */
  makeTestKeys: { roles: ['owner', 'admin', 'member'], what: 'make test keys' },
  /** Live keys, keys of others, apps, the callback secret, and the consent to an app. */
  manageKeys: { roles: ['owner', 'admin'], what: 'change live keys and apps' },
  /** Below owner. */
  manageMembers: { roles: ['owner', 'admin'], what: 'invite and change members' },
  manageOwners: { roles: ['owner'], what: 'change the owners of this account' },
  deleteAccount: { roles: ['owner'], what: 'delete this account' },
} as const satisfies Readonly<Record<string, { readonly roles: readonly Role[]; readonly what: string }>>;

export type Right = keyof typeof RIGHTS;

/** Whether someone with this role has the right. */
export function may(role: Role, right: Right, { viewersDownload }: MemberSettings): boolean {
  if (right === 'download' && role === 'viewer') return viewersDownload;
  return (RIGHTS[right].roles as readonly Role[]).includes(role);
}

/** The roles that have the right, whatever the config says. For statements that ask about many members. */
export const rolesWith = (right: Exclude<Right, 'download'>): readonly Role[] => RIGHTS[right].roles;

/** The right to invite, change or end a member with this role. */
export const rightOver = (role: Role): 'manageOwners' | 'manageMembers' =>
  role === 'owner' ? 'manageOwners' : 'manageMembers';
