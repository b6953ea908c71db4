/** What networks do that has a limit, counted for all processes together. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A crash of the database may forget it, because each count ends within a minute.
  `create unlogged table network_counts (
     name text not null check (length(name) <= 50),
     network text not null,
     count integer not null check (count >= 1),
     ends_at timestamptz not null,
     primary key (name, network)
   ) with (fillfactor = 50)`,
  `create index network_counts_by_end on network_counts (ends_at)`,
];

/** Makes the table. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
