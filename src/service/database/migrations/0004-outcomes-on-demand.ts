/**
 * Lets a verification end without its sealed outcome, unless a request needs it. Sealing takes longer than everything
 * else.
 */
import { type Kysely, sql } from 'kysely';

// Processes of an older release may still call finish_verifications.
const STATEMENTS = [
  // If a request joined or got a 249, a call without the outcome changes no row and asks for the outcome. If the
  // process dies before its second call, the verification is lost as if it had died before the end. If no request needs
  // the outcome, the same statement deletes the row, so that a later request starts again.
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
  // Two transactions that lock the same verifications in different orders would deadlock. So several ends lock their
  // accounts first, like every start.
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
