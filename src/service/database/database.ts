/** Opens the database, and tracks whether it can be reached. */
import { setTimeout as pause } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import { describeError, type Log } from '../log.ts';
import { describeUrl, type Server, serverAt, UNLIMITED } from './connection.ts';
import { type EmbeddedServer, joinOrStartEmbedded, startEmbedded } from './embedded/start.ts';
import { DatabaseError } from './failure.ts';
import { type Heartbeat, startHeartbeat } from './heartbeat.ts';
import type { DatabaseLocation } from './location.ts';
import { openPool, type Pool, type PoolFigures } from './pool.ts';
import { prepareDatabase, unreachable } from './prepare.ts';
import type { Db, Schema } from './schema.ts';
import { DatabaseAwayError, isRefusal, ReadOnlyError } from './unavailable.ts';

export type { Db } from './schema.ts';

/** An open database. */
export interface Database {
  /** Queries fail with a `DatabaseAwayError` until the database is ready. */
  readonly db: Db;
  /** Resolves when the database is reached and migrated. Rejects with a `DatabaseError` if that is impossible. */
  readonly ready: Promise<void>;
  /** Whether the database was ready, and takes changes by the last contact with it. */
  isReady(): boolean;
  /** Undefined until the database is ready. */
  poolFigures(): PoolFigures | undefined;
  /**
   * One line for the operator, without user and password. It has the version of an embedded server once that is ready.
   */
  readonly what: string;
  /** Ends all connections, and an embedded server. Can be called twice. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly log: Log;
  /** The most connections at once. An additional one checks whether the server can be reached. */
  readonly poolSize?: number;
  /**
   * For a command that runs while the service runs. It uses the service's embedded server, and fails at once if the
   * database cannot be reached. Without this, the service retries until the server can be reached.
   */
  readonly visit?: boolean;
  /** For a command on the whole database. It does not migrate, and queries have no time limit. */
  readonly maintenance?: boolean;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** How long `close` waits for connections in use. */
const CLOSE_MS = 5_000;

/**
 * Opens the database and returns at once. `ready` resolves when it can be used.
 *
 * @throws {DatabaseError} if the URL cannot be parsed
 */
export function openDatabase(location: DatabaseLocation, options: DatabaseOptions): Database {
  const { log, poolSize = 10, visit = false, maintenance = false } = options;
  const embedded = 'folder' in location ? openEmbedded(location.folder, options) : undefined;
  let what = 'url' in location ? describeUrl(location.url) : `embedded PostgreSQL in ${location.folder}`;
  const closing = new AbortController();
  let pool: Pool | undefined;
  let heartbeat: Heartbeat | undefined;
  let reachable = false;
  let isReadOnly = false;
  let closed: Promise<void> | undefined;

  const onThere = () => {
    if (!reachable) log('info', 'database there');
    reachable = true;
    isReadOnly = false;
  };
  const onAway = (error: unknown) => {
    // A fail-over ends the connections first. What remains is a read-only server, which the operator must know.
    const becomesReadOnly = error instanceof ReadOnlyError && !isReadOnly;
    if ((reachable || becomesReadOnly) && !closed)
      log('warn', 'database away', { what, ...describeError(error) });
    reachable = false;
    isReadOnly ||= becomesReadOnly;
  };

  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({
      pool: {
        async connect() {
          if (!pool || closed)
            throw new DatabaseAwayError(`The database is ${closed ? 'closed' : 'not ready'}.`);
          return pool.connect();
        },
        // Kysely does not call it if there was no query, so the pool is ended below.
        end: async () => {},
      },
    }),
  });

  const start = async (): Promise<void> => {
    const server = await findServer();
    if (!closing.signal.aborted) await prepareUntilDone(server);
    if (closing.signal.aborted) throw new DatabaseError('The database was closed before it was ready.');
    const onLost = (error: unknown) => {
      // On a full disk, each failed statement would otherwise log that the database comes and goes.
      if (!isRefusal(error)) onAway(error);
      heartbeat?.check();
    };
    pool = openPool(server, poolSize, onLost, maintenance ? UNLIMITED : {});
    onThere();
    heartbeat = startHeartbeat(server, { onThere, onAway });
  };

  const findServer = async (): Promise<Server> => {
    if ('url' in location) return serverAt(location.url);
    const { connection, version } = await embedded!;
    what = `embedded PostgreSQL ${version} in ${location.folder}`;
    return connection;
  };

  const prepareUntilDone = async (server: Server): Promise<void> => {
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      try {
        return await prepareDatabase(server, what, !maintenance);
      } catch (error) {
        if (error instanceof DatabaseError) throw error;
        if (visit) throw unreachable(error, what);
        if (wait === FIRST_PAUSE_MS) log('warn', 'database away', { what, ...describeError(error) });
        await pause(wait, undefined, { signal: closing.signal }).catch(() => {});
        if (closing.signal.aborted) return;
      }
    }
  };

  const close = async (): Promise<void> => {
    closing.abort();
    // A hanging server does not confirm the end of a connection.
    await Promise.race([endConnections(), pause(CLOSE_MS, undefined, { ref: false })]);
    await embedded?.then(
      (server) => server.stop(),
      // It did not start, and `ready` says why.
      () => {},
    );
  };

  const endConnections = async (): Promise<void> => {
    await ready.catch(() => {});
    heartbeat?.stop();
    await db.destroy();
    await pool?.end();
  };

  const ready = start();
  // The caller may handle the rejection later.
  ready.catch(() => {});
  return {
    db,
    ready,
    get what() {
      return what;
    },
    isReady: () => reachable && !closed,
    poolFigures: () => pool?.figures(),
    close: () => (closed ??= close()),
  };
}

function openEmbedded(folder: string, { log, visit }: DatabaseOptions): Promise<EmbeddedServer> {
  return visit ? joinOrStartEmbedded(folder, { log }) : startEmbedded(folder, { log });
}
