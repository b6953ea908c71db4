/** The time that one verification may take. Each of its waits ends with the signal. */
import { EarlierSignal, type Signal } from './signal.ts';

export type Budget = ReturnType<typeof createBudget>;

/**
 * A budget that begins now.
 *
 * @param wholeMs when everything ends
 * @param callerMs how long the caller waits, at most `wholeMs`
 * @param ending ends the budget before its time
 */
export function createBudget(wholeMs: number, callerMs: number, ending?: Signal) {
  const over = new EarlierSignal(ending);
  over.abortIn(wholeMs);
  const start = performance.now();
  const left = (ms: number) => Math.max(0, ms - (performance.now() - start));
  const untilCaller = () => left(callerMs) || left(wholeMs);
  return {
    /** Aborts when the time is over. */
    signal: over as Signal,
    /** Milliseconds until the end, never negative. */
    leftMs: () => left(wholeMs),
    /**
     * The time that one of several mail hosts has for its greeting, so that at least half is left for the others.
     *
     * While the caller waits, it is half of the caller's time: the next host may still give the result in time.
     */
    shareMs: () => untilCaller() / 2,
    /** The time until the caller needs the result. After that, until the end. */
    callerMs: untilCaller,
    /** Stops the timer and removes the listener. Call it when the verification is done. */
    end: () => over.release(),
  };
}
