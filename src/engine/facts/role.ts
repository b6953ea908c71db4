/** Recognises user parts that belong to a role, not to a person. */
import type { Lists } from './lists.ts';
import { isNoReply } from './no-reply.ts';

export function isRole(user: string, { roleNames }: Pick<Lists, 'roleNames'>): boolean {
  return roleNames.has(user.toLowerCase()) || isNoReply(user);
}
