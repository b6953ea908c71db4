/** A verification can end without its sealed outcome, unless somebody needs that. Sealing takes longer than all else. */
import { type Kysely, sql } from 'kysely';

// Processes of an older release may still call finish_verifications.
const STATEMENTS = [
  // Whoever calls it without the outcome is asked for it if a request joined or got a 249. Nothing has changed then,
  // so if the process dies before it calls again, the verification is lost as if it had died before it ended.
  // The statement that finds out that nobody needs the outcome removes the row: who comes later begins anew.
  `create function end_verification(
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
       where account_id = of_account and key = response_key and process_id = its_process and status is null;
     end if;
     return 'ended';
   end
   $$`,
  // Two transactions that lock the same verifications in another order would stop each other. So several ends lock their
  // accounts first, as every beginning does.
  `create function end_verifications(requests jsonb) returns table (place integer, ending text)
   language plpgsql as $$
   declare
     request record;
   begin
     if jsonb_array_length(requests) > 1 then
       perform from accounts
       where id in (select each ->> 'account' from jsonb_array_elements(requests) as each)
       order by id for no key update;
     end if;
     for request in
       select * from jsonb_to_recordset(requests) as each (
         place integer, id uuid, account text, gives_back boolean, is_promised boolean, has_outcome boolean,
         outcome text, response_key text, response_body text
       ) order by account, each.place
     loop
       place := request.place;
       if request.has_outcome and request.outcome is null then
         ending := end_verification(
           request.id, request.account, request.gives_back, request.is_promised,
           request.response_key, request.response_body
         );
       else
         ending := case when finish_verification(
           request.id, request.account, request.gives_back, request.is_promised, decode(request.outcome, 'hex'),
           request.response_key, request.response_body
         ) then 'ended' else 'lost' end;
       end if;
       return next;
     end loop;
   end
   $$`,
];

/** Makes the functions. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
