/** Detects a stuck worker: measures how long it has had work without progress. */

export interface Progress {
  /** Records whether the worker has work now. */
  sees(hasWork: boolean): void;
  /** Records progress: an address was claimed, released or got its result. */
  moves(): void;
  stalledMs(): number;
}

/** @param now milliseconds of a clock that is never set back */
export function createProgress(now = () => performance.now()): Progress {
  let since: number | undefined;
  return {
    sees(hasWork) {
      since = hasWork ? (since ?? now()) : undefined;
    },
    moves() {
      since = now();
    },
    stalledMs: () => (since === undefined ? 0 : now() - since),
  };
}
