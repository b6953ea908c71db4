/**
 * Knows whether a process should keep something for other accounts. It does while it has work of several accounts, and for
 * a while after one came. An account that has been alone for longer may have everything.
 */

const WHILE_MS = 10_000;

/** @param now milliseconds of a clock that is never set back */
export function createCompany(now = () => performance.now()) {
  let there: ReadonlySet<string> = new Set();
  let cameAt = Number.NEGATIVE_INFINITY;
  return {
    /** Records the accounts that have work in this process or wait for it. */
    sees(accounts: Iterable<string>): void {
      const seen = new Set(accounts);
      if ([...seen].some((account) => !there.has(account))) cameAt = now();
      there = seen;
    },
    isExpected: () => there.size > 1 || now() - cameAt < WHILE_MS,
  };
}
