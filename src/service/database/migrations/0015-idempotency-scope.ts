/** The scope of an `Idempotency-Key`: account, mode and route. A test key's response never answers a live request. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `alter table idempotency
     add mode text check (mode in ('test', 'live')),
     add route text check (route in ('/v1/verify', '/v1/batch'));
   alter table idempotency drop constraint idempotency_pkey`,
  // Earlier rows do not say their scope, so they keep every one of it for the rest of their day. Without them, their
  // requests could be charged again.
  `with earlier as (delete from idempotency returning *)
   insert into idempotency (account_id, mode, route, key, request, status, body, process_id, created_at)
   select account_id, each_mode, each_route, key, request, status, body, process_id, created_at
   from earlier, unnest('{test,live}'::text[]) as each_mode, unnest('{/v1/verify,/v1/batch}'::text[]) as each_route`,
  `alter table idempotency
     alter mode set not null,
     alter route set not null,
     add primary key (account_id, mode, route, key)`,
  // These two end the verifications of live keys.
  `create or replace function finish_verification(
     its_id uuid, of_account text, gives_back boolean, was_promised boolean, its_outcome bytea,
     response_key text, response_body text
   ) returns boolean language plpgsql as $$
   declare
     finished verifications;
   begin
     if gives_back then
       perform from accounts where id = of_account for no key update;
     end if;
     select * into finished from verifications where id = its_id and state = 'running' for update;
     if not found then
       return false;
     end if;
     if gives_back then
       perform change_credits(of_account, 1, 'refund', its_id::text);
     end if;
     if its_outcome is not null and (was_promised or finished.is_joined) then
       update verifications set
         state = 'kept',
         outcome = its_outcome,
         is_promised = was_promised or finished.is_promised,
         expires_at = case when was_promised or finished.is_promised then expires_at else clock_timestamp() end
       where id = its_id;
     else
       delete from verifications where id = its_id;
     end if;
     -- Another process may have the key by now, if it took this one for dead.
     if response_key is not null then
       update idempotency set status = 200, body = response_body
       where account_id = of_account and mode = 'live' and route = '/v1/verify' and key = response_key
         and process_id = finished.process_id and status is null;
     end if;
     return true;
   end
   $$`,
  `create or replace function end_verification(
     its_id uuid, of_account text, gives_back boolean, was_promised boolean, response_key text, response_body text
   ) returns text language plpgsql as $$
   declare
     its_process uuid;
   begin
     if gives_back then
       perform from accounts where id = of_account for no key update;
     end if;
     delete from verifications
     where id = its_id and state = 'running' and not (was_promised or is_joined or is_promised)
     returning process_id into its_process;
     if not found then
       perform from verifications where id = its_id and state = 'running';
       return case when found then 'outcome needed' else 'lost' end;
     end if;
     if gives_back then
       perform change_credits(of_account, 1, 'refund', its_id::text);
     end if;
     -- Another process may have the key by now, if it took this one for dead.
     if response_key is not null then
       update idempotency set status = 200, body = response_body
       where account_id = of_account and mode = 'live' and route = '/v1/verify' and key = response_key and process_id = its_process and status is null;
     end if;
     return 'ended';
   end
   $$`,
];

/** Makes the columns, and both functions again. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
