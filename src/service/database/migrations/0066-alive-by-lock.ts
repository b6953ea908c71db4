/** A process that holds its lock is alive, whatever versions its row has. */
import { type Kysely, sql } from 'kysely';

const IS_PROCESS_ALIVE = `CREATE OR REPLACE FUNCTION is_process_alive(its_id uuid)
   RETURNS boolean
   LANGUAGE sql
   AS $$
   select case
     when pg_try_advisory_lock_shared(hashtextextended(its_id::text, 0))
       and pg_advisory_unlock_shared(hashtextextended(its_id::text, 0))
     then exists (
       select from processes where id = its_id and case
         when host is null then alive_at > clock_timestamp() - interval '10 seconds'
         when suspected_at not between clock_timestamp() - interval '10 seconds'
           and clock_timestamp() + interval '10 seconds' then false
         when alive_at between clock_timestamp() - interval '3 seconds' and clock_timestamp() then true
         when pg_postmaster_start_time() > clock_timestamp() - interval '3 seconds' then true
         else not pg_try_advisory_xact_lock_shared(hashtextextended(id::text, 0))
       end
     )
     else not exists (
       select from processes
       where id = its_id and suspected_at is not null
         and suspected_at not between clock_timestamp() - interval '10 seconds' and clock_timestamp() + interval '10 seconds'
     )
   end
   $$`;

/** Changes a function. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(IS_PROCESS_ALIVE).execute(db);
}
