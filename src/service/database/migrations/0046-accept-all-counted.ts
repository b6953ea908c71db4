/** Counts the results of a batch that are risky because their domain accepts every address. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  'alter table batch_progress add column accept_all_results bigint not null default 0',
  `CREATE OR REPLACE FUNCTION count_results()
   RETURNS trigger
   LANGUAGE plpgsql
   AS $$
   begin
     insert into batch_progress as progress (batch_id, connection, reason, count, duplicates, accept_all_results)
     select batch_id, pg_backend_pid(), after.reason, count(*), sum(after.duplicates), count(*) filter (
       where after.reason = 'low_deliverability' and strpos(after.result::text, '"accept_all":true') > 0
     )
     from before join after using (batch_id, place)
     where before.reason is null and after.reason is not null
     group by batch_id, after.reason
     on conflict (batch_id, connection, reason) do update set
       count = progress.count + excluded.count, duplicates = progress.duplicates + excluded.duplicates,
       accept_all_results = progress.accept_all_results + excluded.accept_all_results, is_new = true;
     return null;
   end
   $$`,
];

/** Changes the table and the trigger's function. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
