/** Joins the rules about addresses with the lists that they use. */
import { isDisposable } from './disposable.ts';
import type { Facts } from './facts.ts';
import type { Lists } from './lists.ts';
import { isNoReply } from './no-reply.ts';
import { suggestAddress } from './suggestion.ts';

export function createFacts(lists: Lists): Facts {
  return {
    isDisposable: (domain) => isDisposable(domain, lists),
    isFree: (domain) => lists.freeDomains.has(domain) && !isDisposable(domain, lists),
    isRole: (user) => lists.roleNames.has(user.toLowerCase()) || isNoReply(user),
    suggestAddress,
  };
}
