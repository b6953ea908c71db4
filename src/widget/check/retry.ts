/** When a 249 ("taking longer than normal, send again") is sent again. Arithmetic only. */

const TRIES = 5;
const FIRST_PAUSE_MS = 250;

/**
 * The pause before the next try: 250, 500, 1000 and 2000 ms, which spreads five tries over the default five
 * seconds.
 *
 * @param tried how many tries were made, 1 or more
 * @param elapsedMs since the first try
 * @param budgetMs that may pass since the first try
 * @returns milliseconds, or `undefined` when no further try fits
 */
export function retryPause(tried: number, elapsedMs: number, budgetMs: number): number | undefined {
  const pauseMs = FIRST_PAUSE_MS * 2 ** (tried - 1);
  return tried < TRIES && elapsedMs + pauseMs < budgetMs ? pauseMs : undefined;
}
