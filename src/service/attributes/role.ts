/** Whether the user part belongs to a task rather than to a person. */
import { ROLE_NAMES } from './lists.ts';

export function isRole(user: string): boolean {
  return ROLE_NAMES.has(user.toLowerCase()) || isNoReply(user);
}

/** `no-reply`, `do_not_reply`, `alerts-noreply`, `noreply2`: the words at either end, and nothing glued to them. */
const NO_REPLY = /(?:^|[._-])(?:no|do[._-]?not|dont|never)[._-]?repl(?:y|ies)(?:$|[._-]|\d)/;

export function isNoReply(user: string): boolean {
  return NO_REPLY.test(user.toLowerCase());
}
