/** Recognises domains of free email providers. */
import { isDisposable } from './disposable.ts';
import type { Lists } from './lists.ts';

/** @param domain in ASCII */
export function isFree(domain: string, lists: Omit<Lists, 'roleNames'>): boolean {
  return lists.freeDomains.has(domain) && !isDisposable(domain, lists);
}
