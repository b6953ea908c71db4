/** The roles in words. */
import type { Role } from './roles.ts';

export const ROLE_NAMES = { owner: 'Owner', admin: 'Admin', member: 'Member', viewer: 'Viewer' } as const;

/** What the roles allow, for people who choose one. */
export const ROLE_RIGHTS: Readonly<Record<Role, string>> = {
  owner: 'may do everything, also change owners and delete the account',
  admin: 'changes keys, apps and settings, and invites and changes members',
  member: 'verifies email addresses and lists, and makes test keys',
  viewer: 'sees figures and results, and changes nothing',
};

/** `an owner`, `a viewer`. */
export const asRole = (role: Role): string => `${/^[ao]/.test(role) ? 'an' : 'a'} ${role}`;
