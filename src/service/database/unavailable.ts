/** Distinguishes errors of a database that cannot serve at the moment from bugs. */

/** The connection is not open yet, or the database is closed. The server has not seen the query. */
export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError';
}

/** The database is a standby, or was set to read-only. It has PostgreSQL's code for a refused change. */
export class ReadOnlyError extends DatabaseAwayError {
  readonly code = '25006';
}

/** A row stayed locked for as long as the service waits. It has PostgreSQL's code for a lock that did not become free. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
  readonly code = '55P03';

  constructor() {
    super('The row stayed locked.');
  }
}

/** The operating system's codes for a missing or unreachable server. */
const SYSTEM_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN'],
  ...['ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN'],
]);

/** SQLSTATE codes and classes, see "PostgreSQL Error Codes" in PostgreSQL's manual. */
const SERVER_CODES = [
  /^08/, // connection exception
  /^25006$/, // read only: the server is a standby, as during a fail-over
  /^25P0[34]$/, // the process was frozen in a transaction for too long
  /^28/, // sign-in refused: the password changed while the service runs
  /^3D000$/, // the database was dropped, as during a restore
  /^53/, // resources: too many connections, disk full, out of memory
  /^55000$/, // not in the state that is needed: the database takes no connections
  /^55P03$/, // a lock did not become free in time
  /^57014$/, // the statement took too long
  /^57P/, // the server stops, crashed or starts, or an operator ended the connection
  /^58/, // the server's disk or system fails
];

/** Messages of `pg`, its pool and Kysely that have no code. */
const MESSAGES =
  /^(Connection terminated|Query read timeout|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|driver has already been destroyed)/;

/** Whether the database cannot serve at the moment. The same request can then succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseAwayError) return true;
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code !== 'string') return MESSAGES.test(error.message);
  // A missing or closed socket file. Other missing files are bugs.
  if (syscall === 'connect') return true;
  return SYSTEM_CODES.has(code) || (isSqlState(code) && SERVER_CODES.some((known) => known.test(code)));
}

/** The codes of our own limits: of a statement, of the wait for a lock, and of a pause within a transaction. */
const LIMIT_CODES = new Set(['57014', '55P03', '25P03', '25P04']);
/** The pool's message when no place became free in time. A server that does not answer has another one. */
const POOL_FULL = 'timeout exceeded when trying to connect';

/**
 * What is wrong, for an error that `isUnavailable` knows. `full` is a full disk. `limit` is a statement or a transaction
 * that took longer than the service allows, or waited too long for a lock or for a connection. `away` is everything else.
 */
export type Trouble = 'full' | 'limit' | 'away';

/** Why the database does not serve: also because its migration waits for a lock or for another process. */
export type Outage = Trouble | 'migration';

export function troubleOf(error: unknown): Trouble {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  if (code === '53100' || code === 'ENOSPC') return 'full';
  return LIMIT_CODES.has(String(code)) || message === POOL_FULL ? 'limit' : 'away';
}

/** Whether the last words of a server speak of a full disk. */
export const saysFull = (words = ''): boolean => /no space left|disk quota exceeded/i.test(words);

/**
 * Whether the server responded, and refused for a reason of its own. Such an error does not prove that the server cannot
 * be reached.
 */
export function isRefusal(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' && isSqlState(code) && /^(25006$|25P0[34]$|53|55|57014$|58)/.test(code);
}

/** SQLSTATE codes have five characters and a digit. System codes such as `EPIPE` have no digit. */
const isSqlState = (code: string): boolean => /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
