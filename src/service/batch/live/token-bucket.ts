/**
 * Spreads the work of batches over time, so that the process stays free for requests. Otherwise, mail servers that
 * answer at once would keep it busy. It knows neither addresses nor queues.
 */

interface TokenBucketOptions {
  readonly perSecond: number;
  /** How many may start at once after a rest. */
  readonly burst: number;
  readonly resume: () => void;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** Short enough for waiting requests, and long enough to keep the cost of timers low. */
const TICK_MS = 20;

export function createTokenBucket(options: TokenBucketOptions) {
  const { perSecond, burst, resume, now = () => performance.now() } = options;
  let tokens = burst;
  let countedAt = now();
  let timer: NodeJS.Timeout | undefined;
  return {
    /** Whether one may start now. If not, `resume` is called when it may. */
    mayBegin(): boolean {
      const at = now();
      tokens = Math.min(burst, tokens + ((at - countedAt) / 1_000) * perSecond);
      countedAt = at;
      if (tokens >= 1) return true;
      timer ??= setTimeout(() => {
        timer = undefined;
        resume();
      }, TICK_MS);
      return false;
    },
    /** Records a start. */
    begin(): void {
      tokens -= 1;
    },
    stop: () => clearTimeout(timer),
  };
}
