/** The time that one verification may take. Each of its waits ends with the signal. */
import { setMaxListeners } from 'node:events';

export interface Budget {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** Milliseconds until the end, never negative. */
  leftMs(): number;
  /**
   * The time that one of several mail hosts has for its greeting, so that at least half is left for the others.
   *
   * While the caller waits, it is half of the caller's time: the next host may still give the result in time.
   */
  shareMs(): number;
  /** The time until the caller needs the result. After that, until the end. */
  callerMs(): number;
  /** Stops the timer and removes the listeners. Call it when the verification is done. */
  end(): void;
}

/**
 * A budget that begins now.
 *
 * @param wholeMs when everything ends
 * @param callerMs how long the caller waits, at most `wholeMs`
 * @param ending ends the budget before its time
 */
export function createBudget(wholeMs: number, callerMs: number, ending?: AbortSignal): Budget {
  const over = new AbortController();
  // Each lookup and each wait listens. Node would warn from the eleventh listener on.
  setMaxListeners(0, over.signal);
  const start = performance.now();
  const left = (ms: number) => Math.max(0, ms - (performance.now() - start));
  const untilCaller = () => left(callerMs) || left(wholeMs);
  // `AbortSignal.timeout` would let a process end while it still waits.
  const abort = () => over.abort();
  const timer = setTimeout(abort, wholeMs);
  ending?.addEventListener('abort', abort);
  if (ending?.aborted) abort();
  return {
    signal: over.signal,
    leftMs: () => left(wholeMs),
    shareMs: () => untilCaller() / 2,
    callerMs: untilCaller,
    end() {
      clearTimeout(timer);
      ending?.removeEventListener('abort', abort);
    },
  };
}
