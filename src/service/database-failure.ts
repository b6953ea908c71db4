/** The failure that a request gets when the database fails. */
import { isUnavailable } from './database/unavailable.ts';
import { Failure, Refusal } from './failures.ts';
import { describeError, type Log } from './log.ts';

/** The database's class of errors for full disks, exhausted memory and too many connections. */
const SHORT_OF_RESOURCES = /^53/;

const FOREIGN_KEY_VIOLATION = '23503';
/** The references to the key or account of a request. */
const ITS_OWNER = new Set(['visitors_key_id_fkey', 'idempotency_account_id_fkey']);

/** @returns `undefined` for an error that is a bug of the service */
export function failureOfDatabase(error: unknown, log: Log): Failure | undefined {
  if (wasDeleted(error)) return new Refusal('unknown_key');
  if (!isUnavailable(error)) return undefined;
  // The operator must act on this one. The loss of the database was already logged once.
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && SHORT_OF_RESOURCES.test(code))
    log('error', 'database short of resources', describeError(error));
  return databaseAway();
}

/** Whether the account was deleted since the request's key was looked up. */
function wasDeleted(error: unknown): boolean {
  const { code, constraint } = Object(error) as { code?: unknown; constraint?: unknown };
  return code === FOREIGN_KEY_VIOLATION && ITS_OWNER.has(String(constraint));
}

export const databaseAway = (): Failure => new Failure('databaseAway', undefined, { 'Retry-After': '2' });
