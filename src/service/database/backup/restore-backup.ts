/** Restores a backup into an empty database, all or nothing. */
import { type Kysely, sql } from 'kysely';
import { DatabaseError } from '../database-error.ts';
import { MIGRATIONS, migrateWithin, migrationsOf } from '../migrate.ts';
import type { Db } from '../schema.ts';
import { withSchemaLock } from '../schema-lock.ts';
import { BackupError, type RowCounts } from './backup-format.ts';
import { COPIED_TABLES } from './copy-database.ts';
import { refuseServed, refuseTaken } from './database-use.ts';
import { dropTables } from './drop-tables.ts';
import type { OpenBackup } from './read-backup.ts';
import { columnsOf, continueNumbers, settleFormats, writeRows } from './table-rows.ts';

/** The restored data. */
export interface Restored {
  readonly rows: RowCounts;
  /** The migrations that ran afterwards, because the backup is older than this program. */
  readonly migrated: readonly string[];
}

/**
 * Creates the tables as in the backup, inserts the rows, and runs newer migrations, all in one transaction. If the
 * process is killed, the database stays as it was. A service that starts meanwhile waits for the end.
 *
 * @throws {BackupError} if the backup is incomplete, or newer than this program
 * @throws {DatabaseError} if a service uses the database, or if it has accounts
 */
export async function restoreBackup<Tables>(db: Kysely<Tables>, backup: OpenBackup): Promise<Restored> {
  return inSchemaTransaction(db, async (connection) => {
    const rows = await insertBackup(connection, backup);
    return { rows, migrated: await migrateWithin(connection) };
  });
}

/** Restores a backup with the schema that it was made from. The next start of the service migrates it. */
export async function restoreAsItWas<Tables>(db: Kysely<Tables>, backup: OpenBackup): Promise<RowCounts> {
  return inSchemaTransaction(db, (connection) => insertBackup(connection, backup));
}

/** Kysely's own transaction would not work, because its migrations would commit it. */
function inSchemaTransaction<Tables, Result>(
  db: Kysely<Tables>,
  run: (connection: Kysely<unknown>) => Promise<Result>,
): Promise<Result> {
  return withSchemaLock(db as unknown as Kysely<unknown>, async (connection) => {
    await sql`begin`.execute(connection);
    try {
      const result = await run(connection);
      await sql`commit`.execute(connection);
      return result;
    } catch (error) {
      // Without a connection, the server rolls back by itself.
      await sql`rollback`.execute(connection).catch(() => {});
      throw error;
    }
  });
}

async function insertBackup(connection: Kysely<unknown>, { head, chunks }: OpenBackup): Promise<RowCounts> {
  const known = Object.keys(MIGRATIONS).slice(0, head.migrations.length);
  if (head.migrations.some((name, index) => name !== known[index]))
    throw new BackupError(
      `Expected a backup of a version up to this one, got one with migration ${head.migrations.at(-1)}. Use version ${head.program} of the program, or a newer one.`,
    );
  await makeTables(connection, known);
  await settleFormats(connection);
  const rows: Record<string, number> = {};
  for await (const chunk of chunks) {
    if (rows[chunk.table] === undefined) {
      await checkColumns(connection, chunk.table, chunk.columns);
      rows[chunk.table] = 0;
    }
    await writeRows(connection, chunk.table, chunk.rows);
    rows[chunk.table]! += chunk.rows.length;
  }
  await continueNumbers(connection);
  return rows;
}

/** Creates the tables again, because those of an empty database may be newer than the backup. */
async function makeTables(connection: Kysely<unknown>, names: readonly string[]): Promise<void> {
  const there = await migrationsOf(connection);
  const newer = there.find((name) => !Object.hasOwn(MIGRATIONS, name));
  if (newer !== undefined)
    throw new DatabaseError(
      `The database has migration ${newer}, which this version does not know. Name another database.`,
    );
  if (there.length > 0) {
    const db = connection as unknown as Db;
    // Prevents new accounts and starting services until the end of the transaction.
    await sql`lock table accounts in access exclusive mode`.execute(db);
    await refuseTaken(db);
    if ((await columnsOf(db, 'processes')).length > 0) await refuseServed(db, 'target');
    await dropTables(db);
  } else await refuseForeign(connection);
  const migrations = names.map((name) => [name, MIGRATIONS[name]!] as const);
  await migrateWithin(connection, Object.fromEntries(migrations));
}

/** @throws {DatabaseError} if the database has a table of another program with a name that the service needs */
async function refuseForeign(connection: Kysely<unknown>): Promise<void> {
  for (const table of COPIED_TABLES) {
    if ((await columnsOf(connection, table)).length === 0) continue;
    throw new DatabaseError(
      `Expected an empty target database, got one with a table ${JSON.stringify(table)} of another program. Use a new database.`,
    );
  }
}

/** Rows are read by the order of their columns, so another order would mix up the values. */
async function checkColumns(
  connection: Kysely<unknown>,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const there = await columnsOf(connection, table);
  if (columns.length > 0 && there.join() === columns.join()) return;
  throw new BackupError(
    `Expected a backup with the columns that table ${JSON.stringify(table)} has, got other ones. Use the program that made it.`,
  );
}
