/** When a 249 ("taking longer than normal, send again") is sent again. Arithmetic only. */

const TRIES = 5;
const FIRST_PAUSE_MS = 250;

/**
 * The pause before the next try: 250, 500, 1000 and 2000 ms, which spreads five tries over the default five
 * seconds.
 *
 * @param tried how many tries were made, 1 or more
 * @returns milliseconds, or `false` when that was the last try
 */
export const retryPause = (tried: number): number | false =>
  tried < TRIES && FIRST_PAUSE_MS * 2 ** (tried - 1);
