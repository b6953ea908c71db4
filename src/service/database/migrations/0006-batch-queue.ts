/** The queue of addresses: which process verifies an address, and when it is retried. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // `turn` is the address's number among those of its domain. With it, all domains of a batch get their turn. An
  // address is ready, or a process has claimed it, or it waits until `due_at`, or it has its result.
  `alter table batch_rows
     add turn integer not null default 0 check (turn >= 0),
     add process_id uuid,
     add attempt integer not null default 0 check (attempt >= 0),
     add tries integer not null default 0 check (tries >= 0),
     add due_at timestamptz,
     add constraint batch_rows_one_state check (num_nonnulls(process_id, due_at, reason) <= 1)`,
  `create index batch_rows_ready on batch_rows (batch_id, turn, place)
     where reason is null and process_id is null and due_at is null;
   create index batch_rows_claimed on batch_rows (process_id) where process_id is not null;
   create index batch_rows_waiting on batch_rows (due_at) where due_at is not null`,
];

/** Adds the columns. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
