/** One timer. It reads no clock, because a page, a test or the machine may set the clock. */

import { browser } from './browser.ts';

export interface Timer {
  /** Starts the wait, or starts it over. */
  _start(delayMs: number): void;
  _stop(): void;
}

/** @param act runs once when the wait is over */
export function createTimer(act: () => void): Timer {
  let handle: number | undefined;
  const stop = () => browser._clearTimeout(handle);

  return {
    _stop: stop,
    _start(delayMs) {
      stop();
      handle = browser._setTimeout(act, delayMs);
    },
  };
}
