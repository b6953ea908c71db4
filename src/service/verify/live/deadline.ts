/** The time at which a request gets its response: a result or a 249. */

export type Deadline = ReturnType<typeof deadlineAfter>;

/** A deadline in `ms` milliseconds. */
export function deadlineAfter(ms: number) {
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
    /** Resolves with `late` at the deadline. It stays pending if the deadline is cleared first. */
    passed,
    get isPassed() {
      return isPassed;
    },
    /** Aborts at the deadline, or when it is cleared. Created on first use, because few need it. */
    get signal() {
      over ??= new AbortController();
      if (isPassed || isCleared) over.abort();
      return over.signal;
    },
    clear(): void {
      isCleared = true;
      clearTimeout(timer);
      over?.abort();
    },
  };
}
