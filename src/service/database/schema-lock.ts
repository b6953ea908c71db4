/** The lock for changes of the schema: one migration or restore at a time. */
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { type Log, silentLog } from '../core/log.ts';

/** The number is arbitrary. */
const SCHEMA_LOCK = 7_412_001;

/**
 * Between two looks at the lock. A process that waited within a statement would have a snapshot, and the holder's
 * concurrent index would wait for that.
 */
const LOOK_MS = 200;
/** One line in 10 seconds. */
const LOOKS_PER_LINE = 50;

export interface Waiting {
  readonly log?: Log;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Told when the change begins to wait, for the lock or for others within it, and when that ends. */
  readonly onWait?: (isWaiting: boolean) => void;
  /** Replaces the clock in tests. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

export const waitFor = (ms: number, signal?: AbortSignal): Promise<unknown> =>
  pause(ms, undefined, { signal });

/** Runs a function on one connection, and prevents other processes from changing the schema meanwhile. */
export async function withSchemaLock<Tables, Result>(
  db: Kysely<Tables>,
  use: (connection: Kysely<Tables>) => Promise<Result>,
  { log = silentLog, signal, onWait = () => {}, wait = waitFor }: Waiting = {},
): Promise<Result> {
  return db.connection().execute(async (connection) => {
    try {
      await introduce(connection);
      for (let looks = 0; !(await tryLock(connection)); looks += 1) {
        onWait(true);
        if (looks % LOOKS_PER_LINE === 0) {
          const { isWaiting: _, ...holder } = (await findHolder(connection)) ?? { isWaiting: false };
          log('info', 'waiting for migration', holder);
        }
        await wait(LOOK_MS, signal);
      }
      onWait(false);
      return await use(connection);
    } finally {
      onWait(false);
      await leave(connection).catch(() => {});
    }
  });
}

async function tryLock(connection: QueryExecutorProvider): Promise<boolean> {
  const { rows } = await sql<{ isOurs: boolean }>`
    select pg_try_advisory_lock(${sql.lit(SCHEMA_LOCK)}) as "isOurs"
  `.execute(connection);
  return rows[0]!.isOurs;
}

/** Every user of the server sees the name of a connection, so the others can say whom they wait for. */
const NAME = /^(migrates|waits to migrate): (\d+) (\S+)$/;

/** @param isWaiting whether the holder of the lock waits for others */
export async function nameConnection(connection: QueryExecutorProvider, isWaiting: boolean): Promise<void> {
  const name = `${isWaiting ? 'waits to migrate' : 'migrates'}: ${process.pid} ${hostname()}`;
  await sql`select set_config('application_name', ${name}, false)`.execute(connection);
}

async function introduce(connection: QueryExecutorProvider): Promise<void> {
  await nameConnection(connection, false);
  // An operator's limit of this user would end a concurrent index that waits for others, and holds nobody up.
  await sql`set lock_timeout = 0`.execute(connection);
  // Otherwise the server would finish the statement of a process that was killed, and keep its locks until then. Not
  // every system can.
  await sql`set client_connection_check_interval = '2s'`.execute(connection).catch(() => {});
}

async function leave(connection: QueryExecutorProvider): Promise<void> {
  await sql`select pg_advisory_unlock_all()`.execute(connection);
  await sql`reset application_name`.execute(connection);
  await sql`reset lock_timeout`.execute(connection);
  await sql`reset client_connection_check_interval`.execute(connection);
}

/** The process that holds the lock. One of an older version is unknown. */
export interface Holder {
  readonly host?: string;
  readonly pid?: number;
  /** Whether it waits for others, such as for a long transaction. */
  readonly isWaiting: boolean;
}

/** @returns undefined if the lock is free */
export async function findHolder(connection: QueryExecutorProvider): Promise<Holder | undefined> {
  const { rows } = await sql<{ name: string; isBlocked: boolean }>`
    select application_name as name, coalesce(wait_event_type = 'Lock', false) as "isBlocked"
    from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and classid = 0 and objid = ${sql.lit(SCHEMA_LOCK)} and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
  `.execute(connection);
  const [holder] = rows;
  if (holder === undefined) return undefined;
  const [, does, pid, host] = NAME.exec(holder.name) ?? [];
  const isWaiting = holder.isBlocked || does === 'waits to migrate';
  return host === undefined ? { isWaiting } : { host, pid: Number(pid), isWaiting };
}
