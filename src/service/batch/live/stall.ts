/** Detects a stuck worker: measures how long it has had work without progress. */

/** @param now milliseconds of a clock that is never set back */
export function createProgress(now = () => performance.now()) {
  let since: number | undefined;
  return {
    /** Records whether the worker has work now. */
    sees(hasWork: boolean): void {
      since = hasWork ? (since ?? now()) : undefined;
    },
    /** Records progress: an address was claimed, released or got its result. */
    moves(): void {
      since = now();
    },
    stalledMs: () => (since === undefined ? 0 : now() - since),
  };
}
