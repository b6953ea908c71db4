/** The failure that a request gets when the database fails. */

import { Failure, type FailureCode, Refusal } from '../core/failures.ts';
import { describeError, type Log } from '../core/log.ts';
import { isUnavailable, type Outage, type Trouble, troubleOf } from './unavailable.ts';

/** The database's class of errors for full disks, exhausted memory and too many connections. */
const SHORT_OF_RESOURCES = /^53/;

const FOREIGN_KEY_VIOLATION = '23503';
/** The references to the key or account of a request. */
const ITS_OWNER = new Set(['visitors_key_id_fkey', 'idempotency_account_id_fkey']);

/** @returns `undefined` for an error that is a bug of the service */
export function failureOfDatabase(error: unknown, log: Log): Failure | undefined {
  if (wasDeleted(error)) return new Refusal('unknown_key');
  if (!isUnavailable(error)) return undefined;
  // The operator must act on these. The loss of the database was already logged once.
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && SHORT_OF_RESOURCES.test(code))
    log('error', 'database short of resources', describeError(error));
  const trouble = troubleOf(error);
  if (trouble === 'limit') log('warn', 'database over time limit', describeError(error));
  return databaseFailure(trouble);
}

/** Whether the account was deleted since the request's key was looked up. */
function wasDeleted(error: unknown): boolean {
  const { code, constraint } = Object(error) as { code?: unknown; constraint?: unknown };
  return code === FOREIGN_KEY_VIOLATION && ITS_OWNER.has(String(constraint));
}

const FAILURES: Readonly<Record<Trouble, FailureCode>> = {
  away: 'databaseAway',
  full: 'databaseFull',
  limit: 'databaseSlow',
};

/** The failures of a database, for the documentation of endpoints. */
export const DATABASE_FAILURES = Object.values(FAILURES);

export const databaseFailure = (outage: Outage): Failure =>
  new Failure(FAILURES[outage === 'migration' ? 'away' : outage], undefined, { 'Retry-After': '2' });
