/** Reads and writes whole tables as text, to move rows from one database to another. */
import { type QueryExecutorProvider, sql } from 'kysely';

/** A connection that is in a transaction. */
export type Connection = QueryExecutorProvider;

/** The most rows that are read or written at once, and about how many characters. */
const MOST_ROWS = 1_000;
const MOST_CHARACTERS = 1_000_000;

/**
 * Fixes the formats of times and bytes, which are settings of each server. Call it in every transaction that copies
 * rows.
 */
export async function settleFormats(db: Connection): Promise<void> {
  await sql`set local datestyle = 'ISO'`.execute(db);
  await sql`set local bytea_output = 'hex'`.execute(db);
}

/**
 * Each row is in PostgreSQL's own text form, which keeps all types of the tables. JSON would not work, because
 * PostgreSQL does not read `\u0000` in it, which an address in a batch may contain.
 *
 * @returns the rows in chunks. Large rows come in smaller chunks, so that memory stays bounded.
 */
export async function* readRows(db: Connection, table: string): AsyncGenerator<readonly string[]> {
  const name = sql.table(table);
  const cursor = sql.ref(`rows_of_${table}`);
  await sql`declare ${cursor} no scroll cursor for select ${name}::text as row from ${name}`.execute(db);
  for (let count = MOST_ROWS / 10; ; ) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.lit(count)} from ${cursor}`.execute(db);
    if (rows.length === 0) break;
    const texts = rows.map(({ row }) => row);
    yield texts;
    const average = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
    count = Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_CHARACTERS / average)));
  }
  await sql`close ${cursor}`.execute(db);
}

/** Inserts rows from `readRows`. Both tables must have the same columns in the same order. */
export async function writeRows(db: Connection, table: string, texts: readonly string[]): Promise<void> {
  const name = sql.table(table);
  // One text, because escaping an array of long texts takes the driver seconds.
  const all = JSON.stringify(texts);
  await sql`
    with copied as materialized (
      select text::${name} as whole from json_array_elements_text(${all}::json) as text
    )
    insert into ${name} overriding system value select (whole).* from copied
  `.execute(db);
}

/** Sets the database's sequences to continue after the written rows. */
export async function continueNumbers(db: Connection): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'
  `.execute(db);
  for (const { table, column } of rows) {
    await sql`
      select setval(pg_get_serial_sequence(${table}, ${column}),
        greatest((select max(${sql.ref(column)}) from ${sql.table(table)}), 1))
    `.execute(db);
  }
}

/** The columns of a table in order. Empty if the table does not exist. */
export async function columnsOf(db: Connection, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} order by ordinal_position
  `.execute(db);
  return rows.map(({ name }) => name);
}
