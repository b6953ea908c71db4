/** When the widget repeats a request after a 249 ("taking longer than normal, send again"). Pure. */

const TRIES = 5;
/** The first pause has twice this. */
const HALF_A_PAUSE_MS = 125;

/**
 * The pause before the next try: 250, 500, 1000 and 2000 ms. This spreads five tries over the default timeout of five
 * seconds.
 *
 * @param tried the number of tries so far, 1 or more
 * @returns milliseconds, or `false` after the last try
 */
export const retryPause = (tried: number): number | false => tried < TRIES && HALF_A_PAUSE_MS * 2 ** tried;
