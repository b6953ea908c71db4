/** The point in time at which a request gets its response, with a result or with a 249. */

export interface Deadline {
  /** Resolves with `late` when the time is over. It stays pending if the deadline is cleared first. */
  readonly passed: Promise<'late'>;
  readonly isPassed: boolean;
  /** Aborts when the time is over, or when the deadline is cleared. */
  readonly signal: AbortSignal;
  clear(): void;
}

/** A deadline that many milliseconds from now. */
export function deadlineAfter(ms: number): Deadline {
  const over = new AbortController();
  let timer: NodeJS.Timeout;
  let isPassed = false;
  const passed = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => {
      isPassed = true;
      resolve('late');
      over.abort();
    }, ms);
  });
  return {
    passed,
    get isPassed() {
      return isPassed;
    },
    signal: over.signal,
    clear() {
      clearTimeout(timer);
      over.abort();
    },
  };
}
