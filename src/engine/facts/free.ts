/** Whether anybody gets a mailbox at a domain for nothing. */
import { isDisposable } from './disposable.ts';
import type { Lists } from './lists.ts';

/** @param domain in ASCII */
export function isFree(domain: string, lists: Pick<Lists, 'freeDomains' | 'disposableDomains'>): boolean {
  return lists.freeDomains.has(domain) && !isDisposable(domain, lists);
}
