/** Recognises user parts of no-reply addresses. */

/** `no-reply`, `do_not_reply`, `alerts-noreply`, `noreply2`: the words at the start or the end, as separate words. */
const NO_REPLY = /(?:^|[._-])(?:no|do[._-]?not|dont|never)[._-]?repl(?:y|ies)(?:$|[._-]|\d)/;

export function isNoReply(user: string): boolean {
  return NO_REPLY.test(user.toLowerCase());
}
