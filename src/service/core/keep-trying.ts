/** Retries until success, such as a write while the database is unreachable. */
import { setTimeout as pause } from 'node:timers/promises';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/**
 * After the signal aborts, it tries once more, then gives up.
 *
 * @param onFirstError gets the first error only, so that an outage does not fill the log
 * @returns undefined if it gave up
 */
export async function keepTrying<Result>(
  attempt: () => Promise<Result>,
  signal: AbortSignal,
  onFirstError: (error: unknown) => void,
): Promise<Result | undefined> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const isLast = signal.aborted;
    try {
      return await attempt();
    } catch (error) {
      if (pauseMs === FIRST_PAUSE_MS) onFirstError(error);
    }
    if (isLast) return undefined;
    await pause(pauseMs, undefined, { signal }).catch(() => {});
  }
}
