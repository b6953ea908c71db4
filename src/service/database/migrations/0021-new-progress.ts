/** Tells which counts no worker has looked at. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `alter table batch_progress add is_new boolean not null default false;
   alter table batch_progress alter is_new set default true`,
  `create or replace function count_results() returns trigger language plpgsql as $$
   begin
     insert into batch_progress as progress (batch_id, connection, reason, count, duplicates)
     select batch_id, pg_backend_pid(), after.reason, count(*), sum(after.duplicates)
     from before join after using (batch_id, place)
     where before.reason is null and after.reason is not null
     group by batch_id, after.reason
     on conflict (batch_id, connection, reason) do update set
       count = progress.count + excluded.count, duplicates = progress.duplicates + excluded.duplicates, is_new = true;
     return null;
   end
   $$`,
];

/** Makes them. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
