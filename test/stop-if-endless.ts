import { runInNewContext } from 'node:vm';

/** As long as a test may take. What tests run in this way takes milliseconds, or would take minutes to years. */
const TIMEOUT_MS = 20_000;

/**
 * Runs something that may never end, and throws if it has not ended when a test's time is up. A test's own timeout stops
 * no code that never pauses: the whole run would hang, and nobody would know where.
 */
export function stopIfEndless<Result>(work: () => Result): Result {
  return runInNewContext('work()', { work }, { timeout: TIMEOUT_MS }) as Result;
}
