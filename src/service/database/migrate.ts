/** Brings the schema of the database up to date. */
import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { DatabaseError } from './database-error.ts';
import * as accounts from './migrations/0001-accounts.ts';
import * as liveVerifications from './migrations/0002-live-verifications.ts';
import * as pacing from './migrations/0003-pacing.ts';
import * as outcomesOnDemand from './migrations/0004-outcomes-on-demand.ts';
import * as batches from './migrations/0005-batches.ts';
import * as batchQueue from './migrations/0006-batch-queue.ts';
import * as downloads from './migrations/0007-downloads.ts';
import * as callbacks from './migrations/0008-callbacks.ts';
import * as fairness from './migrations/0009-fairness.ts';
import * as oauth from './migrations/0010-oauth.ts';
import * as sessions from './migrations/0011-sessions.ts';
import * as resumed from './migrations/0012-resumed.ts';
import * as dashboard from './migrations/0013-dashboard.ts';
import * as storage from './migrations/0014-storage.ts';
import * as idempotencyScope from './migrations/0015-idempotency-scope.ts';
import * as identity from './migrations/0016-identity.ts';
import * as sealedSecrets from './migrations/0017-sealed-secrets.ts';

/** Every migration by its name, imported statically so that the bundle contains it. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-accounts': accounts,
  '0002-live-verifications': liveVerifications,
  '0003-pacing': pacing,
  '0004-outcomes-on-demand': outcomesOnDemand,
  '0005-batches': batches,
  '0006-batch-queue': batchQueue,
  '0007-downloads': downloads,
  '0008-callbacks': callbacks,
  '0009-fairness': fairness,
  '0010-oauth': oauth,
  '0011-sessions': sessions,
  '0012-resumed': resumed,
  '0013-dashboard': dashboard,
  '0014-storage': storage,
  '0015-idempotency-scope': idempotencyScope,
  '0016-identity': identity,
  '0017-sealed-secrets': sealedSecrets,
};

type Migrations = Readonly<Record<string, Migration>>;

/** The lock for changes of the schema: one migration or restore at a time. The number is arbitrary. */
const SCHEMA_LOCK = 7_412_001;

/**
 * Runs the missing migrations in one transaction. If several processes call it at once, the first one migrates and the
 * others wait.
 *
 * @returns the names of the migrations that this call ran
 * @throws {DatabaseError} if a newer version of the program has migrated the database
 */
export async function migrate<Tables>(db: Kysely<Tables>, migrations = MIGRATIONS): Promise<string[]> {
  return withSchemaLock(db, (connection) => run(connection, migrations, false));
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
  migrations = MIGRATIONS,
): Promise<void> {
  if (rule === 'leave') return;
  const there = rule === 'migrate' ? [] : await migrationsOf(db);
  if (there.length === 0) {
    await migrate(db, migrations);
    return;
  }
  refuseNewer(there, migrations);
  const outdated = rule === 'require' ? sayOutdated(there, migrations) : undefined;
  if (outdated !== undefined) throw new DatabaseError(`${outdated} Run migrate.`);
}

/** @param there the names of the database's migrations @returns undefined if none is missing */
export function sayOutdated(there: readonly string[], migrations = MIGRATIONS): string | undefined {
  const names = Object.keys(migrations);
  if (names.every((name) => there.includes(name))) return undefined;
  return `Expected a database with the schema ${names.at(-1)}, got one with the older schema ${there.at(-1)}.`;
}

function refuseNewer(there: readonly string[], migrations: Migrations, cause?: unknown): void {
  const unknown = there.find((name) => !Object.hasOwn(migrations, name));
  if (unknown === undefined) return;
  throw new DatabaseError(
    `The database has migration ${unknown}, which this version does not know. Start the version that made it, or a newer one.`,
    { cause },
  );
}

/** Runs the missing migrations within the connection's transaction. The caller holds the lock. */
export async function migrateWithin<Tables>(
  connection: Kysely<Tables>,
  migrations: Migrations = MIGRATIONS,
): Promise<string[]> {
  return run(connection, migrations, true);
}

/** Runs a function on one connection, and prevents other processes from changing the schema meanwhile. */
export async function withSchemaLock<Tables, Result>(
  db: Kysely<Tables>,
  use: (connection: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${sql.lit(SCHEMA_LOCK)})`.execute(connection);
    try {
      return await use(connection);
    } finally {
      // Unlocks all, because Kysely cannot release its own lock in a failed transaction.
      await sql`select pg_advisory_unlock_all()`.execute(connection).catch(() => {});
    }
  });
}

async function run<Tables>(
  db: Kysely<Tables>,
  migrations: Migrations,
  disableTransactions: boolean,
): Promise<string[]> {
  const provider = { getMigrations: async () => ({ ...migrations }) };
  const { error, results = [] } = await new Migrator({ db, provider, disableTransactions }).migrateToLatest();
  if (error === undefined) return results.map(({ migrationName }) => migrationName);
  // A failed transaction refuses further queries.
  if (disableTransactions) throw error;
  // Kysely also refuses unknown migrations, but with a less helpful message.
  refuseNewer(await migrationsOf(db), migrations, error);
  throw error;
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
