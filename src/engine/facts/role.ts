/** Whether the user part belongs to a task rather than to a person. */
import type { Lists } from './lists.ts';
import { isNoReply } from './no-reply.ts';

export function isRole(user: string, { roleNames }: Pick<Lists, 'roleNames'>): boolean {
  return roleNames.has(user.toLowerCase()) || isNoReply(user);
}
