/** One timer that can be put off. It reads no clock: a page, a test or the machine may set those. */

import { browser } from './browser.ts';

export interface Timer {
  /** Starts the wait, or starts it over. */
  start(delayMs: number): void;
  /**
   * Starts a running wait over, with the same delay.
   *
   * @returns whether it was running
   */
  putOff(): boolean;
  stop(): void;
}

/** @param act runs once when the wait is over */
export function createTimer(act: () => void): Timer {
  let handle: number | undefined;
  let lastMs = 0;

  const stop = () => {
    browser.clearTimeout(handle);
    handle = undefined;
  };
  const start = (delayMs: number) => {
    stop();
    lastMs = delayMs;
    handle = browser.setTimeout(() => {
      handle = undefined;
      act();
    }, delayMs);
  };

  return {
    start,
    stop,
    putOff() {
      if (!handle) return false;
      start(lastMs);
      return true;
    },
  };
}
