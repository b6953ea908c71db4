/** The point in time at which a request gets its response, with a result or with a 249. */

export interface Deadline {
  /** Resolves with `late` when the time is over. It stays pending if the deadline is cleared first. */
  readonly passed: Promise<'late'>;
  readonly isPassed: boolean;
  /** Aborts when the time is over, or when the deadline is cleared. Made when it is first asked for: few need it. */
  readonly signal: AbortSignal;
  clear(): void;
}

/** A deadline that many milliseconds from now. */
export function deadlineAfter(ms: number): Deadline {
  let over: AbortController | undefined;
  let isPassed = false;
  let isCleared = false;
  let pass!: (late: 'late') => void;
  const passed = new Promise<'late'>((resolve) => {
    pass = resolve;
  });
  const timer = setTimeout(() => {
    isPassed = true;
    pass('late');
    over?.abort();
  }, ms);
  return {
    passed,
    get isPassed() {
      return isPassed;
    },
    get signal() {
      over ??= new AbortController();
      if (isPassed || isCleared) over.abort();
      return over.signal;
    },
    clear() {
      isCleared = true;
      clearTimeout(timer);
      over?.abort();
    },
  };
}
