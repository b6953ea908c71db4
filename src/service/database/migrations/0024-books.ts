/** Books that can be audited: results by day are written with the results, and the audit of a night keeps its state. */
import { type Kysely, sql } from 'kysely';
import { lockTables } from '../migration.ts';

const STATEMENTS = [
  // How many of them gave their credit back. What a request pays for is then the difference.
  `alter table daily_results
     drop constraint daily_results_account_id_fkey,
     add refunded bigint not null default 0,
     add constraint daily_results_refunded_check check (refunded >= 0) not valid`,
  // What the counts by day have beyond the batches and the ledger: deleted batches, test keys, forgotten days (below
  // zero), and what was counted before this migration.
  `create table unproved_results (
     account_id text not null,
     source text not null check (source in ('verify', 'batch')),
     mode text not null check (mode in ('test', 'live')),
     count bigint not null,
     primary key (account_id, source, mode)
   )`,
  // One row. `proves_since`: accounts from before it have counts that were not written with the results, until an audit
  // has taken them over.
  `create table book_audit (
     id boolean primary key default true check (id),
     due_at timestamptz not null,
     begun_at timestamptz,
     after_account text,
     found json not null default '[]',
     found_count integer not null default 0 check (found_count >= 0),
     ended_at timestamptz,
     differences json,
     difference_count integer check (difference_count >= 0),
     proves_since timestamptz,
     constraint book_audit_under_way check ((begun_at is null) = (after_account is null)),
     constraint book_audit_ended check (num_nonnulls(ended_at, differences, difference_count) in (0, 3))
   )`,
  `CREATE OR REPLACE FUNCTION count_deleted_batch()
   RETURNS trigger
   LANGUAGE plpgsql
   AS $$
   begin
     insert into unproved_results as known (account_id, source, mode, count)
     select accounts.id, 'batch', old.mode, results
     from accounts, lateral (
       select case
         when old.completed_at is null
         then (select coalesce(sum(count), 0) from batch_progress where batch_id = old.id)
         when old.stopped_after is not null
         then (select coalesce(sum(value::bigint), 0) from jsonb_each_text(old.reason_counts))
         else old.distinct_total
       end as results
     ) as counted
     where accounts.id = old.account_id and results > 0
     on conflict (account_id, source, mode) do update set count = known.count + excluded.count;
     return null;
   end
   $$;

   CREATE TRIGGER count_deleted_batch AFTER DELETE ON batches FOR EACH ROW EXECUTE FUNCTION count_deleted_batch();

   CREATE TRIGGER count_disowned_batch AFTER UPDATE OF account_id ON batches FOR EACH ROW WHEN (old.account_id IS NOT NULL AND new.account_id IS NULL) EXECUTE FUNCTION count_deleted_batch()`,
  // Another argument makes another function.
  `drop function settle_verifications(uuid[], text[], boolean[], boolean[], boolean[], bytea[], text[], text[])`,
  `CREATE OR REPLACE FUNCTION settle_verifications(
     its_ids uuid[],
     its_accounts text[],
     its_refunds boolean[],
     its_promises boolean[],
     its_needs boolean[],
     its_outcomes bytea[],
     its_keys text[],
     its_bodies text[],
     its_reasons text[]
   )
   RETURNS TABLE(place integer, ending text)
   LANGUAGE plpgsql
   SET enable_seqscan TO 'off'
   SET enable_bitmapscan TO 'off'
   SET plan_cache_mode TO 'force_generic_plan'
   AS $$
   #variable_conflict use_column
   declare
     endings text[] := array_fill(null::text, array[cardinality(its_ids)]);
     over tid[] := '{}';
     refunded_ids uuid[] := '{}';
     refunded_accounts text[] := '{}';
     refunded_balances bigint[] := '{}';
     account text;
     account_row tid;
     balance bigint;
     response_row tid;
     one record;
   begin
     for one in
       select each.place, verification.ctid as row, state, process_id, is_promised or its_promise as is_promised,
         is_joined or is_promised or its_promise as is_needed, key_id, started_at
       from unnest(its_ids, its_promises) with ordinality as each (its_id, its_promise, place)
       join verifications as verification on id = its_id
       order by each.place for update of verification skip locked
     loop
       if one.state <> 'running' then
         endings[one.place] := 'lost';
         continue;
       elsif one.is_needed and its_needs[one.place] and its_outcomes[one.place] is null then
         endings[one.place] := 'outcome needed';
         continue;
       end if;
       if its_refunds[one.place] and its_accounts[one.place] is distinct from account then
         update accounts set available_credits = balance where ctid = account_row;
         account := its_accounts[one.place];
         select ctid, available_credits into account_row, balance from accounts
         where id = account for no key update skip locked;
       end if;
       if its_refunds[one.place] and account_row is null then
         endings[one.place] := 'busy';
         continue;
       end if;
       response_row := null;
       if its_keys[one.place] is not null then
         select ctid into response_row from idempotency
         where account_id = its_accounts[one.place] and mode = 'live' and route = '/v1/verify'
           and key = its_keys[one.place] and status is null
         for no key update skip locked;
         if not found then
           perform from idempotency
           where account_id = its_accounts[one.place] and mode = 'live' and route = '/v1/verify'
             and key = its_keys[one.place] and status is null;
           if found then
             endings[one.place] := 'busy';
             continue;
           end if;
         end if;
       end if;

       endings[one.place] := 'ended';
       if one.is_needed and its_outcomes[one.place] is not null then
         update verifications set state = 'kept', outcome = its_outcomes[one.place], is_promised = one.is_promised,
           expires_at = case when one.is_promised then expires_at else clock_timestamp() end
         where ctid = one.row;
       else
         over := over || one.row;
       end if;
       if its_refunds[one.place] then
         balance := balance + 1;
         refunded_ids := refunded_ids || its_ids[one.place];
         refunded_accounts := refunded_accounts || account;
         refunded_balances := refunded_balances || balance;
         if one.key_id is not null then
           update key_spending set spent = greatest(spent - 1, 0)
           where key_id = one.key_id and day = (one.started_at at time zone 'UTC')::date;
         end if;
       end if;
       -- Another process may have the key by now, if it took this one for dead.
       if response_row is not null then
         update idempotency set status = 200, body = its_bodies[one.place]
         where ctid = response_row and process_id = one.process_id;
       end if;
     end loop;
     delete from verifications where ctid = any(over);
     if refunded_ids <> '{}' then
       update accounts set available_credits = balance where ctid = account_row;
       insert into ledger (account_id, amount, why, of, balance)
       select account, 1, 'refund', id::text, balance
       from unnest(refunded_ids, refunded_accounts, refunded_balances) as each (id, account, balance);
     end if;
     insert into daily_results as days (account_id, day, source, mode, reason, count, refunded)
     select account, (statement_timestamp() at time zone 'UTC')::date, 'verify', 'live', reason,
       count(*), count(*) filter (where gives_back)
     from unnest(its_accounts, its_reasons, its_refunds, endings) as each (account, reason, gives_back, ending)
     where ending = 'ended' and reason is not null
     group by account, reason order by account, reason
     on conflict (account_id, day, source, mode, reason) do update set
       count = days.count + excluded.count, refunded = days.refunded + excluded.refunded;

     for number in 1 .. cardinality(its_ids) loop
       place := number;
       ending := endings[number];
       if ending is null then
         perform from verifications where id = its_ids[number] and state = 'running';
         ending := case when found then 'busy' else 'lost' end;
       end if;
       return next;
     end loop;
   end
   $$`,
  `CREATE OR REPLACE FUNCTION forget_account()
   RETURNS trigger
   LANGUAGE plpgsql
   AS $$
   begin
     delete from ledger using gone where account_id = gone.id;
     delete from ledger_days using gone where account_id = gone.id;
     delete from verifications using gone where account_id = gone.id;
     delete from key_spending using gone where account_id = gone.id;
     delete from daily_results where ctid = any(array(
       select counts.ctid from gone join daily_results as counts on account_id = gone.id for update of counts skip locked
     ));
     delete from unproved_results where ctid = any(array(
       select counts.ctid from gone join unproved_results as counts on account_id = gone.id for update of counts skip locked
     ));
     return null;
   end
   $$`,
];

/** Makes the tables and functions. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, 'accounts', 'batches', 'daily_results');
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
