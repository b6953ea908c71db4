/** Whether the user part says that nobody reads the answers. */

/** `no-reply`, `do_not_reply`, `alerts-noreply`, `noreply2`: the words at either end, and nothing glued to them. */
const NO_REPLY = /(?:^|[._-])(?:no|do[._-]?not|dont|never)[._-]?repl(?:y|ies)(?:$|[._-]|\d)/;

export function isNoReply(user: string): boolean {
  return NO_REPLY.test(user.toLowerCase());
}
