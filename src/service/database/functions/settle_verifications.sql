-- Ends live verifications, each once: with the row, its refund or its charge becomes final, and a late end is `lost`.
-- Without an outcome, for one that no request needs. If a request joined or got a 249, the call changes no row and says
-- `outcome needed`. If the process dies before its second call, the verification is lost as if it had died before the
-- end. A result that was joined but not promised is kept only for the joined requests, so it expires at once.
--
-- It waits for no lock but, last, for the counts by day. The ends of a locked account, verification or response are
-- `busy`, and the others go on. The caller sorts them by account. A result, which has a reason, is counted with its end.
CREATE OR REPLACE FUNCTION settle_verifications(
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
    -- Each on its own, like in start_verifications.
    cross join lateral (
      select ctid, * from verifications where id = its_id for update skip locked
    ) as verification
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
$$;
