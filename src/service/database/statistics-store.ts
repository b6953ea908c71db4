/**
 * The SQL that keeps PostgreSQL from taking a table for empty that is not. When it looks at a table whose rows were just
 * deleted, it remembers that there are none, and looks again a minute or more later. Until then, it plans to read whole
 * indexes for a few rows. A list that is uploaded in that minute would then take seconds for each claim of addresses.
 */
import { sql } from 'kysely';
import type { Db } from './schema.ts';

/** A smaller table is read whole in no time, even once for each of its rows. */
const FEWEST_ROWS = 200;
/** So many times as many rows as PostgreSQL expects are far too many. */
const TOO_MANY = 10;

/** Looks again at tables that have far more rows than PostgreSQL expects. It waits for nobody who works on a table. */
export async function renewStatistics(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class, lateral (select pg_stat_get_live_tuples(oid) as live) as counted
    -- Without pages, PostgreSQL has not looked yet, and guesses by the size.
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and relpages > 0
      and live >= ${FEWEST_ROWS} and live > ${TOO_MANY}::integer * reltuples
      and live > ${TOO_MANY}::integer * reltuples / relpages
        * (pg_relation_size(oid) / current_setting('block_size')::integer)
    order by live desc
  `.execute(db);
  for (const { name } of rows) await sql`analyze (skip_locked) ${sql.table(name)}`.execute(db);
}
