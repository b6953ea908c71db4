/** One timer. It reads no clock, because a page, a test or the machine may set the clock. */

import { browser } from './browser.ts';

export interface Timer {
  /**
   * Starts the wait, or starts it over.
   *
   * @param act runs once when the wait is over
   */
  _start(delayMs: number, act: () => void): void;
  _stop(): void;
}

export function createTimer(): Timer {
  let handle: number | undefined;
  const stop = () => browser._clearTimeout(handle);

  return {
    _stop: stop,
    _start(delayMs, act) {
      stop();
      handle = browser._setTimeout(act, delayMs);
    },
  };
}
