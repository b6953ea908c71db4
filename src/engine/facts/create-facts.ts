/** Joins the rules about addresses with the lists that they use. */
import { isDisposable } from './disposable.ts';
import type { Facts } from './facts.ts';
import { isFree } from './free.ts';
import type { Lists } from './lists.ts';
import { isRole } from './role.ts';
import { suggestAddress } from './suggestion.ts';

export function createFacts(lists: Lists): Facts {
  return {
    isDisposable: (domain) => isDisposable(domain, lists),
    isFree: (domain) => isFree(domain, lists),
    isRole: (user) => isRole(user, lists),
    suggestAddress,
  };
}
