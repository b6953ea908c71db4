/**
 * Long work in steps, between which other requests run. A step ends after an amount of work, not after a time, so that
 * the same input always takes the same steps.
 */
import { setImmediate } from 'node:timers/promises';

/** Yields after each step, and returns the result. */
export type Steps<Result> = Generator<void, Result, void>;

/** How many characters a step may read. It takes about two milliseconds. */
export const STEP_CHARACTERS = 256 * 1024;

let last: Promise<unknown> = Promise.resolve();

/**
 * Waits for a turn of the event loop. Each turn goes to one caller, in order, so that several long requests delay others
 * no more than one does.
 */
export function nextTurn(): Promise<unknown> {
  last = last.then(() => setImmediate());
  return last;
}

/** Runs one step in each turn. */
export async function inSteps<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs all steps at once, for input that is known to be small. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
