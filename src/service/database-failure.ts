/** What a request gets when the database fails under it. */
import { isUnavailable } from './database/unavailable.ts';
import { Failure } from './failures.ts';
import { describeError, type Log } from './log.ts';

/** The database's class of errors for full disks, exhausted memory and too many connections. */
const SHORT_OF_RESOURCES = /^53/;

/** @returns `undefined` for an error that is not the database's absence */
export function failureOfDatabase(error: unknown, log: Log): Failure | undefined {
  if (!isUnavailable(error)) return undefined;
  // The operator has to make room. A database that is away has been logged once already.
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && SHORT_OF_RESOURCES.test(code))
    log('error', 'database short of resources', describeError(error));
  return databaseAway();
}

export const databaseAway = (): Failure => new Failure('databaseAway', undefined, { 'Retry-After': '2' });
