/** Copies everything that lasts from one database to another, so that a service can move to another server. */
import { sql, type Transaction } from 'kysely';
import { DatabaseError } from './failure.ts';
import type { Db, Schema } from './schema.ts';

/** Every table with rows that last, each after those that it refers to. */
export const COPIED_TABLES = [
  'accounts',
  'ledger',
  'keys',
  'key_values',
  'verifications',
  'visitors',
  'idempotency',
  'batches',
  'batch_rows',
  'callbacks',
  'callback_tries',
  'batch_progress',
  'apps',
  'app_redirect_uris',
  'authorization_codes',
  'token_families',
  'device_requests',
  'sessions',
  'audit',
  'daily_results',
  'key_refusals',
  'lists',
  'list_rows',
] as const satisfies readonly (keyof Schema)[];

/** Rows of running processes, counts of the moment, and the sums that come by themselves with the ledger. */
export const LEFT_TABLES = [
  'ledger_days',
  'processes',
  'rates',
  'batch_marks',
  'paces',
  'conversations',
  'conversation_queues',
  'guesses',
] as const satisfies readonly (keyof Schema)[];

/** How many rows are read and written at once. */
const CHUNK = 1_000;

/** How many rows of each table were copied. */
export type Copied = Readonly<Record<(typeof COPIED_TABLES)[number], number>>;

/**
 * Copies all or nothing. Both databases have the same schema, because both were migrated by this program.
 *
 * @throws {DatabaseError} while a service uses the source, because what it writes meanwhile would be lost; and if the
 *   target holds accounts already
 */
export async function copyDatabase(source: Db, target: Db): Promise<Copied> {
  return source
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (from) => {
      if (await isServed(from)) {
        throw new DatabaseError(
          'Expected no service on the source database, got one that ran less than 10 seconds ago. Stop it first. If it was killed, try again in 10 seconds.',
        );
      }
      return target.transaction().execute((to) => copyInto(from, to));
    });
}

/** Whether a process of the service was alive a moment ago. */
async function isServed(db: Transaction<Schema>): Promise<boolean> {
  const row = await db
    .selectFrom('processes')
    .select('id')
    .where('alive_at', '>', sql<Date>`clock_timestamp() - interval '10 seconds'`)
    .executeTakeFirst();
  return row !== undefined;
}

async function copyInto(from: Transaction<Schema>, to: Transaction<Schema>): Promise<Copied> {
  // How a server writes and reads times and bytes is a setting of each.
  for (const db of [from, to]) await sql`set local datestyle = 'ISO'`.execute(db);
  await sql`set local bytea_output = 'hex'`.execute(from);
  const taken = await to.selectFrom('accounts').select('id').limit(1).executeTakeFirst();
  if (taken) {
    throw new DatabaseError(
      'Expected a target database without accounts, got one that has some. Name a new one.',
    );
  }
  const copied: Record<string, number> = {};
  for (const table of COPIED_TABLES) copied[table] = await copyTable(from, to, table);
  // The next row gets a number after those that were copied.
  for (const table of ['ledger', 'audit'] as const) {
    await sql`
      select setval(pg_get_serial_sequence(${table}, 'id'), greatest((select max(id) from ${sql.table(table)}), 1))
    `.execute(to);
  }
  return copied as Copied;
}

/**
 * Each row goes as the text that PostgreSQL writes and reads a row by: it keeps every type that the tables have. JSON
 * would not do, because PostgreSQL does not read `\u0000` in it, which an address in a batch may hold.
 */
async function copyTable(from: Transaction<Schema>, to: Transaction<Schema>, table: string): Promise<number> {
  const name = sql.table(table);
  const cursor = sql.ref(`copy_of_${table}`);
  await sql`declare ${cursor} no scroll cursor for select ${name}::text as row from ${name}`.execute(from);
  for (let count = 0; ; ) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.lit(CHUNK)} from ${cursor}`.execute(from);
    if (rows.length === 0) return count;
    // One text, because escaping an array of long texts takes the driver seconds.
    const texts = JSON.stringify(rows.map(({ row }) => row));
    await sql`
      with copied as materialized (
        select text::${name} as whole from json_array_elements_text(${texts}::json) as text
      )
      insert into ${name} overriding system value select (whole).* from copied
    `.execute(to);
    count += rows.length;
  }
}
