/** The pool of connections, and a watch over every query on them. */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { connectionOptions, type Server } from './connection.ts';
import { isUnavailable } from './unavailable.ts';

/** What the pool does at the moment, and what has failed in it. */
export interface PoolFigures {
  readonly open: number;
  readonly idle: number;
  /** Requests for a connection that wait. */
  readonly waiting: number;
  readonly most: number;
  /** Queries and connections that failed because the database was away. */
  readonly awayErrors: number;
  /** Queries that the server refused, those included that a unique index refuses as expected. */
  readonly refusedQueries: number;
}

export interface Pool extends PostgresPool {
  figures(): PoolFigures;
}

/**
 * Opens a pool. Its connections are made when they are needed.
 *
 * @param size the most connections at once
 * @param onAway called with each error that means that the database is away
 * @param limits replaces the time limits of the connections
 */
export function openPool(
  server: Server,
  size: number,
  onAway: (error: unknown) => void,
  limits: pg.ClientConfig = {},
): Pool {
  let awayErrors = 0;
  let refusedQueries = 0;
  const onError = (error: unknown) => {
    if (!isUnavailable(error)) {
      refusedQueries += 1;
      return;
    }
    awayErrors += 1;
    onAway(error);
  };
  const options = { ...connectionOptions(server), ...limits };
  const pool = new pg.Pool({ ...options, max: size, idleTimeoutMillis: 60_000 });
  // An idle connection that breaks is an error event, and without a listener it would end the process.
  pool.on('error', onAway);
  // So is one in use, also after the end of the pool. Its query fails as well and says so.
  pool.on('connect', (client) => client.on('error', () => {}));
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    async connect() {
      const client = await pool.connect().catch((error) => {
        awayErrors += 1;
        onAway(error);
        throw error;
      });
      // Kysely keeps state per client object, so each client has one wrapper.
      let watched = clients.get(client);
      if (!watched) {
        watched = watchClient(client, onError);
        clients.set(client, watched);
      }
      return watched;
    },
    end: () => pool.end(),
    figures: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      most: size,
      awayErrors,
      refusedQueries,
    }),
  };
}

/** A client that is closed instead of used again after an error that means that the database is away. */
function watchClient(client: pg.PoolClient, onError: (error: unknown) => void): PostgresPoolClient {
  let broken: unknown;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    // After a timeout, the connection still waits for the old query. A rollback would wait behind it.
    if (broken) throw broken;
    try {
      return await client.query(sql, [...parameters]);
    } catch (error) {
      if (isUnavailable(error)) broken = error;
      onError(error);
      throw error;
    }
  };
  return {
    // The other form of `query` is for cursors, which need a package of their own.
    query: query as unknown as PostgresPoolClient['query'],
    release: () => client.release(broken !== undefined),
  };
}
