/** Opens the database, and tracks whether it can be reached. */
import { setTimeout as pause } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import { describeError, type Log } from '../core/log.ts';
import { describeUrl, type Limits, type Server, serverAt, UNLIMITED } from './connection.ts';
import { DatabaseError } from './database-error.ts';
import type { DatabaseLocation } from './database-location.ts';
import { type EmbeddedServer, joinOrStartEmbedded, startEmbedded } from './embedded/start-embedded.ts';
import type { SchemaRule } from './migrate.ts';
import { openPool, type Pool, type PoolCounts } from './pool.ts';
import { prepareDatabase, unreachable } from './prepare-database.ts';
import { type Heartbeat, type Pace, startHeartbeat } from './reachability.ts';
import type { Db, Schema } from './schema.ts';
import { carrying, IN_CLEAR, type Secrets } from './secrets.ts';
import { openSession, type Session } from './session.ts';
import {
  DatabaseAwayError,
  isRefusal,
  type Outage,
  ReadOnlyError,
  saysFull,
  type Trouble,
  troubleOf,
} from './unavailable.ts';

export type { Db } from './schema.ts';

/** An open database. */
export interface Database {
  /** Queries fail with a `DatabaseAwayError` until the database is ready. */
  readonly db: Db;
  /** Resolves when the database is reached and its schema is right. Rejects with a `DatabaseError` if that is impossible. */
  readonly ready: Promise<void>;
  /** Whether the database was ready, and takes changes by the last contact with it. */
  isReady(): boolean;
  /** What kept the database from serving, by the last contact with it. */
  trouble(): Outage;
  /** Opens a connection outside the pool. Fails with a `DatabaseAwayError` until the database is ready. */
  openSession(): Promise<Session>;
  /** Undefined until the database is ready. */
  poolCounts(): PoolCounts | undefined;
  /**
   * One line for the operator, without user and password. It has the version of an embedded server once that is ready.
   */
  readonly what: string;
  /** Ends all connections, and an embedded server. Can be called twice. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly log: Log;
  /** The server of an embedded database, if it starts already. @default it is started, or joined */
  readonly embedded?: Promise<EmbeddedServer> | undefined;
  /** The most connections at once. An additional one checks whether the server can be reached. */
  readonly poolSize?: number;
  /**
   * For a command that runs while the service runs. It uses the service's embedded server, and fails at once if the
   * database cannot be reached. Without this, the service retries until the server can be reached.
   */
  readonly visit?: boolean;
  /** @default 'migrate'. With `leave`, for a command on the whole database, queries have no time limit. */
  readonly schema?: SchemaRule;
  /** Seals and opens the stored secrets. @default they are in clear */
  readonly secrets?: Secrets | undefined;
  /** Replaces time limits of the connections. */
  readonly limits?: Limits;
  /** How often to check whether the server can be reached. */
  readonly pace?: Pace;
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
  const { log, poolSize = 10, visit = false, schema = 'migrate', pace } = options;
  const { limits = schema === 'leave' ? UNLIMITED : {}, secrets = IN_CLEAR } = options;
  const embedded =
    options.embedded ?? ('folder' in location ? openEmbedded(location.folder, options) : undefined);
  let what = 'url' in location ? describeUrl(location.url) : `embedded PostgreSQL in ${location.folder}`;
  const closing = new AbortController();
  let pool: Pool | undefined;
  let server: Server | undefined;
  let heartbeat: Heartbeat | undefined;
  let reachable = false;
  let isReadOnly = false;
  let trouble: Trouble = 'away';
  let isMigrationWaiting = false;
  let whyDown: () => string | undefined = () => undefined;
  let closed: Promise<void> | undefined;

  const onThere = () => {
    if (!reachable) log('info', 'database there');
    reachable = true;
    isReadOnly = false;
    trouble = 'away';
  };
  const onAway = (error: unknown) => {
    // A fail-over ends the connections first. What remains is a read-only server, which the operator must know.
    const becomesReadOnly = error instanceof ReadOnlyError && !isReadOnly;
    if ((reachable || becomesReadOnly) && !closed)
      log('warn', 'database away', { what, ...describeError(error) });
    reachable = false;
    isReadOnly ||= becomesReadOnly;
  };

  const notReady = () => new DatabaseAwayError(`The database is ${closed ? 'closed' : 'not ready'}.`);
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({
      pool: {
        async connect() {
          if (!pool || closed) throw notReady();
          return pool.connect();
        },
        // Kysely does not call it if there was no query, so the pool is ended below.
        end: async () => {},
      },
    }),
    plugins: carrying(secrets),
  });

  const start = async (): Promise<void> => {
    const found = await findServer();
    if (!closing.signal.aborted) await prepareUntilDone(found);
    if (closing.signal.aborted) throw new DatabaseError('The database was closed before it was ready.');
    const onLost = (error: unknown) => {
      // The server often ends a moment later, and then says nothing more.
      if (troubleOf(error) === 'full') trouble = 'full';
      // On a full disk, each failed statement would otherwise log that the database comes and goes. A full pool says
      // nothing about the server.
      if (!isRefusal(error) && troubleOf(error) !== 'limit') onAway(error);
      heartbeat?.check();
    };
    server = found;
    pool = openPool(server, poolSize, onLost, limits);
    onThere();
    heartbeat = startHeartbeat(server, { onThere, onAway }, pace);
  };

  const findServer = async (): Promise<Server> => {
    if ('url' in location) return serverAt(location.url);
    const { connection, version, ...server } = await embedded!;
    whyDown = server.whyDown;
    what = `embedded PostgreSQL ${version} in ${location.folder}`;
    return connection;
  };

  const prepareUntilDone = async (found: Server): Promise<void> => {
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      try {
        return await prepareDatabase(found, what, schema, secrets, {
          ...{ log, signal: closing.signal },
          onWait(isWaiting) {
            isMigrationWaiting = isWaiting;
          },
        });
      } catch (error) {
        if (closing.signal.aborted) return;
        if (error instanceof DatabaseError) throw error;
        if (visit) throw unreachable(error, what);
        if (wait === FIRST_PAUSE_MS)
          log('warn', `database ${troubleOf(error) === 'limit' ? 'over time limit' : 'away'}`, {
            what,
            ...describeError(error),
          });
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
    async openSession() {
      if (!server || closed) throw notReady();
      return openSession(server);
    },
    trouble: () => (saysFull(whyDown()) ? 'full' : isMigrationWaiting ? 'migration' : trouble),
    poolCounts: () => pool?.counts(),
    close: () => (closed ??= close()),
  };
}

function openEmbedded(folder: string, { log, visit }: DatabaseOptions): Promise<EmbeddedServer> {
  return visit ? joinOrStartEmbedded(folder, { log }) : startEmbedded(folder, { log });
}
