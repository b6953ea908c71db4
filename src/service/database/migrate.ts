/** Brings the schema of the database up to date. */
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { silentLog } from '../core/log.ts';
import { DatabaseError } from './database-error.ts';
import type { SchemaMigration } from './migration.ts';
import * as list from './migration-list.ts';
import { nameConnection, type Waiting, waitFor, withSchemaLock } from './schema-lock.ts';

type Migrations = Readonly<Record<string, SchemaMigration>>;

export const MIGRATIONS: Migrations = list;

/** How long a migration waits for a lock. Requests wait behind it, so it must be short beside their time limits. */
const LOCK_TIMEOUT = '2s';

/** The pauses between its tries, in which the requests go on. They double. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Runs the missing migrations, each in a transaction of its own. If several processes call it at once, the first one
 * migrates and the others wait. The version before may run meanwhile.
 *
 * @returns the names of the migrations that this call ran
 * @throws {DatabaseError} if a newer version of the program has migrated the database
 */
export async function migrate<Tables>(
  db: Kysely<Tables>,
  migrations: Migrations = MIGRATIONS,
  waiting: Waiting = {},
): Promise<string[]> {
  return withSchemaLock(db, (connection) => run(connection, migrations, waiting), waiting);
}

/**
 * What the opening of a database does about its schema. `migrate` brings it up to date. `require` refuses an older one,
 * and `tolerate` takes it. These three give an empty database the schema of this version, and refuse a newer one.
 * `leave` does not look at it.
 */
export type SchemaRule = 'migrate' | 'require' | 'tolerate' | 'leave';

/** @throws {DatabaseError} if the rule refuses the schema that is there */
export async function settleSchema<Tables>(
  db: Kysely<Tables>,
  rule: SchemaRule,
  waiting: Waiting = {},
): Promise<void> {
  if (rule === 'leave') return;
  const there = rule === 'migrate' ? [] : await migrationsOf(db);
  if (there.length === 0) {
    await migrate(db, MIGRATIONS, waiting);
    return;
  }
  refuseNewer(there, MIGRATIONS);
  const outdated = rule === 'require' ? sayOutdated(there) : undefined;
  if (outdated !== undefined) throw new DatabaseError(`${outdated} Run migrate.`);
}

/** @param there the names of the database's migrations @returns undefined if none is missing */
export function sayOutdated(there: readonly string[]): string | undefined {
  const names = Object.keys(MIGRATIONS);
  if (names.every((name) => there.includes(name))) return undefined;
  return `Expected a database with the schema ${names.at(-1)}, got one with the older schema ${there.at(-1)}.`;
}

function refuseNewer(there: readonly string[], migrations: Migrations): void {
  const unknown = there.find((name) => !Object.hasOwn(migrations, name));
  if (unknown === undefined) return;
  throw new DatabaseError(
    `The database has migration ${unknown}, which this version does not know. Start the version that made it, or a newer one.`,
  );
}

/**
 * Runs the missing migrations within the connection's transaction. The caller holds the lock, and nobody else can use the
 * tables.
 */
export async function migrateWithin<Tables>(
  connection: Kysely<Tables>,
  migrations: Migrations = MIGRATIONS,
): Promise<string[]> {
  const missing = missingOf(await migrationsOf(connection), migrations);
  await makeRecord(connection);
  for (const name of missing) {
    await migrations[name]!.up(connection as unknown as Kysely<unknown>, true);
    await record(connection, name);
  }
  return missing;
}

async function run<Tables>(
  connection: Kysely<Tables>,
  migrations: Migrations,
  waiting: Waiting,
): Promise<string[]> {
  const there = await migrationsOf(connection);
  refuseNewer(there, migrations);
  const missing = missingOf(there, migrations);
  if (there.length === 0) await makeRecord(connection);
  for (const name of missing) {
    await untilUnlocked(connection, name, waiting, () =>
      runOne(connection, name, migrations[name]!, there.length === 0),
    );
  }
  return missing;
}

const missingOf = (there: readonly string[], migrations: Migrations): string[] =>
  Object.keys(migrations).filter((name) => !there.includes(name));

async function runOne<Tables>(
  connection: Kysely<Tables>,
  name: string,
  { up, inSteps = false }: SchemaMigration,
  isAlone: boolean,
): Promise<void> {
  if (inSteps) {
    // What it locks holds up no request.
    await up(connection as unknown as Kysely<unknown>, isAlone);
    await record(connection, name);
    return;
  }
  await connection.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(transaction);
    await up(transaction as unknown as Kysely<unknown>, isAlone);
    await record(transaction, name);
  });
}

/** Tries again while a lock does not become free. The next attempt begins where a migration in steps has stopped. */
async function untilUnlocked(
  connection: QueryExecutorProvider,
  migration: string,
  { log = silentLog, signal, onWait = () => {}, wait = waitFor }: Waiting,
  run: () => Promise<void>,
): Promise<void> {
  for (let tries = 1, ms = FIRST_PAUSE_MS; ; tries += 1, ms = Math.min(ms * 2, LONGEST_PAUSE_MS)) {
    try {
      await run();
      if (tries > 1) await nameConnection(connection, false);
      onWait(false);
      return;
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (tries === 1) await nameConnection(connection, true);
      onWait(true);
      log('warn', 'migration waits for a lock', { migration, tries });
      await wait(ms, signal);
    }
  }
}

/** A lock that did not become free in time, or a deadlock of which this was the victim. */
const isLocked = (error: unknown): boolean =>
  ['55P03', '40P01'].includes(String((Object(error) as { code?: unknown }).code));

/** The table is that of Kysely's migrator, which made it in earlier versions. */
async function makeRecord(connection: QueryExecutorProvider): Promise<void> {
  await sql`
    create table if not exists kysely_migration (
      name varchar(255) not null primary key,
      timestamp varchar(255) not null
    )
  `.execute(connection);
}

async function record(connection: QueryExecutorProvider, name: string): Promise<void> {
  await sql`insert into kysely_migration values (${name}, ${new Date().toISOString()})`.execute(connection);
}

/** The names of the database's migrations, oldest first. */
export async function migrationsOf<Tables>(db: Kysely<Tables>): Promise<string[]> {
  const { rows: found } = await sql<{ there: boolean }>`
    select to_regclass('kysely_migration') is not null as there
  `.execute(db);
  if (!found[0]?.there) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}
