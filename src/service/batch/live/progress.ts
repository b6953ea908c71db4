/** Tells whether a worker gets on with its work: how long there has been some, and nothing has become of it. */

export interface Progress {
  /** Whether there is anything to do, as the worker sees it now. */
  sees(hasWork: boolean): void;
  /** An address was claimed, or left alone, or it has its result. */
  moves(): void;
  stuckMs(): number;
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
    stuckMs: () => (since === undefined ? 0 : now() - since),
  };
}
