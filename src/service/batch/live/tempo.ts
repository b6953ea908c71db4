/**
 * Spreads the work of batches over time, so that a request finds the process free. Mail servers that answer at once would
 * else keep it busy. It knows no address and no lane.
 */

export interface Tempo {
  /** Whether one may begin now. If not, `resume` is called when it may. */
  mayBegin(): boolean;
  /** One begins. */
  begin(): void;
  stop(): void;
}

export interface TempoOptions {
  readonly perSecond: number;
  /** How many may begin at once after a rest. */
  readonly burst: number;
  readonly resume: () => void;
  /** Milliseconds of a clock that is never set back. */
  readonly now?: () => number;
}

/** Short for a request that waits, and long enough that timers do not become work themselves. */
const TICK_MS = 20;

export function createTempo(options: TempoOptions): Tempo {
  const { perSecond, burst, resume, now = () => performance.now() } = options;
  let rights = burst;
  let countedAt = now();
  let timer: NodeJS.Timeout | undefined;
  return {
    mayBegin() {
      const at = now();
      rights = Math.min(burst, rights + ((at - countedAt) / 1_000) * perSecond);
      countedAt = at;
      if (rights >= 1) return true;
      timer ??= setTimeout(() => {
        timer = undefined;
        resume();
      }, TICK_MS);
      return false;
    },
    begin() {
      rights -= 1;
    },
    stop: () => clearTimeout(timer),
  };
}
