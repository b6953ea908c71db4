/** The pool of connections. It reports the error of every query. */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { connectionOptions, type Limits, limitSession, type Server } from './connection.ts';
import { DatabaseAwayError, isUnavailable, type Trouble, troubleOf } from './unavailable.ts';

/** The current load of the pool, and its failures. */
export interface PoolCounts {
  readonly open: number;
  readonly idle: number;
  /** Requests for a connection that wait. */
  readonly waiting: number;
  readonly most: number;
  /**
   * Queries and connections that failed because of a trouble, and those that the server `refused`. Some refusals are
   * expected, such as those by a unique index.
   */
  readonly failed: Readonly<Record<Trouble | 'refused', number>>;
}

export interface Pool extends PostgresPool {
  counts(): PoolCounts;
}

/**
 * Opens a pool. It connects when needed.
 *
 * @param size the most connections at once @param onAway called with each error that means that the database cannot
 * serve
 * @param limits replaces the time limits of the connections
 */
export function openPool(
  server: Server,
  size: number,
  onAway: (error: unknown) => void,
  limits: Limits = {},
): Pool {
  const failed = { away: 0, full: 0, limit: 0, refused: 0 };
  const onError = (error: unknown) => {
    if (!isUnavailable(error)) {
      failed.refused += 1;
      return;
    }
    failed[troubleOf(error)] += 1;
    onAway(error);
  };
  const options = connectionOptions(server, limits);
  const pool = new pg.Pool({ ...options, max: size, idleTimeoutMillis: 60_000 });
  // A broken idle connection emits an error event, which would end the process without a listener.
  pool.on('error', onAway);
  // So does one in use, even after the end of the pool. Its query also fails and reports the error.
  pool.on('connect', (client) => {
    client.on('error', () => {});
    limitSession(client, limits);
  });
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    async connect() {
      const client = await pool.connect().catch((error) => {
        failed[troubleOf(error)] += 1;
        onAway(error);
        throw asUnavailable(error);
      });
      // Kysely keeps state per client object, so each client has one wrapper.
      const wrapped = clients.get(client) ?? wrapClient(client, onError);
      clients.set(client, wrapped);
      return wrapped;
    },
    end: () => pool.end(),
    counts: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      most: size,
      failed: { ...failed },
    }),
  };
}

/** Without a connection the database cannot serve, whatever the reason. Some of the driver's errors have no code. */
const asUnavailable = (error: unknown) =>
  isUnavailable(error) ? error : new DatabaseAwayError('The connection has ended.', { cause: error });

/**
 * A statement that only calls a function of the database, such as `count_requests`. Such statements are sent with every few
 * requests, and have one plan whatever their parameters are. They name their columns, because a prepared `*` fails once a
 * migration adds one.
 */
const CALL = /^\s*select [\w\s,]+ from (?!unnest)\w+\([\w\s$,:]+\)\s*$/;
/** Names of calls by their text. There are as many as in the source. */
const calls = new Map<string, string>();

/** @returns the name under which each connection prepares the statement once, or undefined to parse it each time */
function nameOfCall(text: string): string | undefined {
  const name = calls.get(text);
  if (name !== undefined || !CALL.test(text)) return name;
  calls.set(text, `call_${calls.size}`);
  return calls.get(text);
}

/**
 * Wraps a client. After an error that means that the database cannot be reached, the client is closed and not reused.
 */
function wrapClient(client: pg.PoolClient, onError: (error: unknown) => void): PostgresPoolClient {
  let broken: unknown;
  /** Why the connection ended between two queries. The error of the next query says only that it has. */
  let ending: unknown;
  client.on('error', (error) => {
    ending ??= asUnavailable(error);
  });
  const query = async (sql: string, parameters: readonly unknown[]) => {
    // After a timeout, the connection still waits for the old query. A rollback would wait behind it.
    if (broken) throw broken;
    try {
      const name = nameOfCall(sql);
      const values = [...parameters];
      return await (name === undefined
        ? client.query(sql, values)
        : client.query({ name, text: sql, values }));
    } catch (thrown) {
      const error = ending ?? thrown;
      if (isUnavailable(error)) broken = error;
      onError(error);
      throw error;
    }
  };
  return {
    // The other form of `query` is for cursors, which need a separate package.
    query: query as unknown as PostgresPoolClient['query'],
    release: () => client.release(broken !== undefined),
  };
}
