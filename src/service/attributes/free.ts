/** Whether anybody gets a mailbox at a domain for nothing. */
import { isDisposable } from './disposable.ts';
import { FREE_DOMAINS } from './lists.ts';

/** @param domain in ASCII */
export function isFree(domain: string): boolean {
  return FREE_DOMAINS.has(domain) && !isDisposable(domain);
}
