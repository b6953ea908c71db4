/** The options of a connection to the server: its time limits, and a description without the password. */
import pg from 'pg';
import { columnTypes } from './column-types.ts';
import { DatabaseError } from './database-error.ts';

/** The server ends a statement after this time. */
const STATEMENT_MS = 9_000;

/** If the server does not end it, the connection is closed after this time. */
const SILENCE_MS = 10_000;

/** How long to wait for a connection, or for a free place in the pool. */
const CONNECT_MS = 5_000;

/** The server and the user. */
export type Server =
  | { readonly connectionString: string }
  | Readonly<Required<Pick<pg.ClientConfig, 'host' | 'port' | 'user' | 'database'>> & { password: string }>;

/** These modes mean `verify-full` to `pg`, unless the URL asks for the meaning that they have in libpq. */
const ALIASES = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g;
const HAS_LIBPQ_MEANING = /[?&]uselibpqcompat=true(&|$)/;

/**
 * The server of a URL. `pg` prints nine lines of warning for an alias of `verify-full`, so the URL gets the full name.
 * The log must consist of JSON lines, and the message of a command of one line.
 */
export const serverAt = (url: string): Server => ({
  connectionString: HAS_LIBPQ_MEANING.test(url) ? url : url.replace(ALIASES, '$1verify-full'),
});

/** The time limits that the server keeps, in milliseconds. */
interface ServerLimits {
  readonly statement_timeout?: number;
  readonly idle_in_transaction_session_timeout?: number;
}

/** The time limits of a connection, in milliseconds. */
export type Limits = ServerLimits & Pick<pg.ClientConfig, 'connectionTimeoutMillis' | 'query_timeout'>;

/** For work on the whole database, which may take longer than a request and wait for other processes. */
export const UNLIMITED: Limits = {
  statement_timeout: 0,
  query_timeout: 0,
  idle_in_transaction_session_timeout: 0,
};

/**
 * The options of `pg` for connections that serve requests. They limit the time of queries and locks. After connecting,
 * call {@link limitSession} with the same limits.
 */
export function connectionOptions(server: Server, limits: Limits = {}): pg.ClientConfig {
  const { connectionTimeoutMillis = CONNECT_MS, query_timeout = SILENCE_MS } = limits;
  return {
    ...server,
    ...{ application_name: 'email-verify-service', connectionTimeoutMillis, query_timeout },
    ...{ keepAlive: true, types: columnTypes },
  };
}

/**
 * Sets the limits that the server keeps. By a statement, because poolers such as PgBouncer refuse a connection that
 * sends them while it starts. The next query of the client waits for it.
 */
export function limitSession(client: pg.ClientBase, limits: ServerLimits = {}): void {
  const { statement_timeout = STATEMENT_MS } = limits;
  // A process that hangs in the middle of a transaction must not hold its locks.
  const { idle_in_transaction_session_timeout = SILENCE_MS } = limits;
  client
    .query(
      `set statement_timeout = ${statement_timeout}; set idle_in_transaction_session_timeout = ${idle_in_transaction_session_timeout}`,
    )
    // A connection that breaks here also fails the next query, which reports it.
    .catch(() => {});
}

/**
 * The server and the database in one line, without user and password.
 *
 * @throws {DatabaseError} if the URL cannot be parsed
 */
export function describeUrl(url: string): string {
  const { host, port, database } = parse(url);
  const name = encodeURIComponent(database ?? '');
  if (host.startsWith('/')) return `postgres:///${name}?host=${host}`;
  return `postgres://${host.includes(':') ? `[${host}]` : host}:${port}/${name}`;
}

function parse(url: string): pg.Client {
  try {
    // The client of `pg` handles every form of URL, and PostgreSQL's environment variables. It does not connect yet.
    return new pg.Client(serverAt(url));
  } catch {
    // The parser's message can quote the URL, including the password.
    throw new DatabaseError(
      'Expected a database URL such as postgres://user:password@host:5432/name, got one that cannot be parsed. Percent-encode special characters in the user and the password.',
    );
  }
}
