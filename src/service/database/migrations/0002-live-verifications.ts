/** The functions that count requests, change credits, and start and finish live verifications. */
import { type Kysely, sql } from 'kysely';

// A function needs one round trip for all its statements. Each statement sees what others have committed.
const STATEMENTS = [
  // The clock is read once the row is locked, so that `started_at` never goes back while requests wait for each other.
  // If the clock is set back, `started_at` is in the future, and a new second begins.
  `create function count_request(of_account text, at_endpoint text)
   returns table (requests integer, resets_at timestamptz) language sql as $$
     insert into rates as rate (account_id, endpoint, started_at, count)
     values (of_account, at_endpoint, clock_timestamp(), 1)
     on conflict (account_id, endpoint) do update set (started_at, count) = (
       select
         case when is_new then at else rate.started_at end,
         case when is_new then 1 else rate.count + 1 end
       from (select clock_timestamp() as at) as clock, lateral (
         select rate.started_at <= at - interval '1 second' or rate.started_at > at + interval '1 second' as is_new
       ) as window_of_request
     )
     returning count, started_at + interval '1 second'
   $$`,
  // Returns null without a change if the account does not have enough credits.
  `create function change_credits(of_account text, change bigint, reason text, subject text)
   returns bigint language sql as $$
     with changed as (
       update accounts set available_credits = available_credits + change
       where id = of_account and available_credits + change >= 0
       returning id, available_credits
     )
     insert into ledger (account_id, amount, why, of, balance)
     select id, change, reason, subject, available_credits from changed
     returning balance
   $$`,
  // A process touches its row every 2 seconds.
  `create function is_process_alive(its_id uuid) returns boolean language sql as $$
     select exists (
       select from processes where id = its_id and alive_at > clock_timestamp() - interval '10 seconds'
     )
   $$`,
  // A change of credits locks the account before the verification, like a deletion of the account. So two equal requests
  // wait for each other without deadlocks. A kept result that is no longer free stays, because other processes may still
  // be reading it. It is only not promised any more.
  `create function begin_verification(
     new_id uuid, of_account text, its_question bytea, my_process uuid, keep_seconds integer,
     orphan_id uuid, rate_endpoint text, rate_limit integer
   ) returns table (
     answer text, verification_id uuid, kept_outcome bytea, credits bigint, requests integer, resets_at timestamptz
   ) language plpgsql as $$
   declare
     earlier verifications;
   begin
     if rate_endpoint is not null then
       select counted.requests, counted.resets_at into requests, resets_at
       from count_request(of_account, rate_endpoint) as counted;
       if requests > rate_limit then
         answer := 'rate exceeded';
         return next;
         return;
       end if;
     end if;

     select available_credits into credits from accounts where id = of_account for no key update;
     if not found then
       answer := 'no account';
       return next;
       return;
     end if;

     select * into earlier from verifications
     where account_id = of_account and question = its_question and (state = 'running' or is_promised)
     for update;
     if found then
       verification_id := earlier.id;
       if earlier.state = 'kept' and earlier.expires_at > clock_timestamp() then
         answer := 'kept';
         kept_outcome := earlier.outcome;
         return next;
         return;
       elsif earlier.state = 'kept' then
         update verifications set is_promised = false where id = earlier.id;
       elsif is_process_alive(earlier.process_id) and earlier.id is distinct from orphan_id then
         update verifications set is_joined = true where id = earlier.id and not is_joined;
         answer := 'running';
         return next;
         return;
       else
         perform change_credits(of_account, 1, 'refund', earlier.id::text);
         delete from verifications where id = earlier.id;
       end if;
     end if;

     verification_id := new_id;
     credits := change_credits(of_account, -1, 'verification', new_id::text);
     if credits is null then
       select available_credits into credits from accounts where id = of_account;
       answer := 'no credits';
       return next;
       return;
     end if;
     insert into verifications (id, account_id, question, process_id, state, expires_at)
     values (
       new_id, of_account, its_question, my_process, 'running',
       clock_timestamp() + make_interval(secs => keep_seconds)
     );
     answer := 'started';
     return next;
   end
   $$`,
  // Returns false without a change if the verification was already refunded. Another process can promise only a
  // verification that it has joined. A result that was joined but not promised is kept only for the joined requests, so
  // it expires at once.
  `create function finish_verification(
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
       where account_id = of_account and key = response_key
         and process_id = finished.process_id and status is null;
     end if;
     return true;
   end
   $$`,
  // Several starts in one transaction, in the order of their accounts, in which all processes lock accounts. They are
  // rows instead of arguments, because their number varies.
  `create function begin_verifications(requests jsonb) returns table (
     place integer, answer text, verification_id uuid, kept_outcome bytea, credits bigint,
     requests_in_second integer, resets_at timestamptz
   ) language plpgsql as $$
   declare
     request record;
   begin
     for request in
       select * from jsonb_to_recordset(requests) as each (
         place integer, id uuid, account text, question text, process uuid, keep_seconds integer,
         orphan uuid, rate_endpoint text, rate_limit integer
       ) order by account, each.place
     loop
       return query select request.place, begun.* from begin_verification(
         request.id, request.account, decode(request.question, 'hex'), request.process, request.keep_seconds,
         request.orphan, request.rate_endpoint, request.rate_limit
       ) as begun;
     end loop;
   end
   $$`,
  // Two transactions that lock the same verifications in different orders would deadlock. So several ends lock their
  // accounts first, like every start.
  `create function finish_verifications(requests jsonb) returns table (place integer, is_finished boolean)
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
         place integer, id uuid, account text, gives_back boolean, is_promised boolean, outcome text,
         response_key text, response_body text
       ) order by account, each.place
     loop
       place := request.place;
       is_finished := finish_verification(
         request.id, request.account, request.gives_back, request.is_promised, decode(request.outcome, 'hex'),
         request.response_key, request.response_body
       );
       return next;
     end loop;
   end
   $$`,
];

/** Makes the functions. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
