/** A process is alive while it holds a lock. Work that ends processes is known, so that it is done alone. */
import { type Kysely, sql } from 'kysely';
import { lockTables } from '../migration.ts';

const STATEMENTS = [
  // Processes of the version before write none of these.
  `alter table processes
     add host text,
     add pid integer,
     add suspected_at timestamptz,
     add constraint processes_place check (num_nonnulls(host, pid) in (0, 2))`,
  // A new column takes no time, however many rows there are. A check of it would read them all.
  `alter table batch_rows
     add begun integer not null default 0,
     add deaths smallint not null default 0`,
  `alter table callbacks add deaths smallint not null default 0`,
  `create or replace function is_process_alive(its_id uuid) returns boolean language sql as $$
   select exists (
     select from processes where id = its_id and case
       when host is null then alive_at > clock_timestamp() - interval '10 seconds'
       when suspected_at not between clock_timestamp() - interval '10 seconds'
         and clock_timestamp() + interval '10 seconds' then false
       when alive_at between clock_timestamp() - interval '3 seconds' and clock_timestamp() then true
       when pg_postmaster_start_time() > clock_timestamp() - interval '3 seconds' then true
       else not pg_try_advisory_xact_lock_shared(hashtextextended(id::text, 0))
     end
   )
   $$`,
];

/** Makes the columns, and the function again. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, 'batch_rows', 'callbacks', 'processes');
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
