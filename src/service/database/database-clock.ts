/** The clock of PostgreSQL. It decides all limits and ends, because the clocks of the processes differ. */
import { sql } from 'kysely';
import type { Db } from './schema.ts';

/** @returns milliseconds since 1970 */
export async function readServerClock(db: Db): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms
  `.execute(db);
  return rows[0]!.ms;
}

/** @param at the time, for tests. By default it is the database's */
export const nowOr = (at?: Date) => (at ? sql<Date>`${at}::timestamptz` : sql<Date>`clock_timestamp()`);
