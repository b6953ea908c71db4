/** Whether the user part belongs to a task rather than to a person. */
import { ROLE_NAMES } from './lists.ts';
import { isNoReply } from './no-reply.ts';

export function isRole(user: string): boolean {
  return ROLE_NAMES.has(user.toLowerCase()) || isNoReply(user);
}
