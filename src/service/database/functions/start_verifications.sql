-- Starts live verifications, or joins equal ones. It takes the credits and makes the rows together, so each
-- verification is charged once, and a request that is refused costs nothing. The requests of an account share one
-- change of each row: of the account, its requests of this second, its key, and its day in the ledger. The caller sorts
-- them by account and key.
--
-- The rows of an account and of its count are first looked for at the places where the process has last seen them, and
-- then by their keys. While a snapshot is open, such as that of a backup, a search by key goes through all versions.
-- Each equal verification is looked for on its own: PostgreSQL takes a table whose rows are deleted at once for empty,
-- and joins it by reading all their versions.
--
-- It waits for no locked account, count or key. Their requests are `busy`, and the others go on. An account is locked
-- before its verifications, like in a deletion of the account. A kept result that is no longer free stays, because
-- other processes may still be reading it. It is only not promised any more.
CREATE OR REPLACE FUNCTION start_verifications(
  my_process uuid,
  keep_seconds integer,
  its_endpoint text,
  its_ids uuid[],
  its_accounts text[],
  its_rows tid[],
  its_rate_rows tid[],
  its_questions bytea[],
  its_orphans uuid[],
  its_limits integer[],
  its_keys text[],
  its_key_limits bigint[]
)
RETURNS TABLE(
  place integer,
  answer text,
  verification_id uuid,
  kept_outcome bytea,
  account_row tid,
  rate_row tid,
  requests integer,
  resets_at timestamp with time zone
)
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
SET enable_bitmapscan TO 'off'
SET plan_cache_mode TO 'force_generic_plan'
AS $$
#variable_conflict use_column
declare
  size constant integer := cardinality(its_ids);
  -- By the place of the request.
  answers text[] := array_fill(null::text, array[size]);
  found_ids uuid[] := array_fill(null::uuid, array[size]);
  counts integer[] := array_fill(null::integer, array[size]);
  ends timestamptz[] := array_fill(null::timestamptz, array[size]);
  -- By the place of the first request of an account.
  heads integer[] := array_fill(1, array[size]);
  account_rows tid[] := array_fill(null::tid, array[size]);
  rate_rows tid[] := array_fill(null::tid, array[size]);
  balances bigint[] := array_fill(null::bigint, array[size]);
  -- What starts.
  new_ids uuid[] := '{}';
  new_accounts text[] := '{}';
  new_questions bytea[] := '{}';
  new_keys text[] := '{}';
  new_joined boolean[] := '{}';
  new_balances bigint[] := '{}';
  began_at timestamptz;
  today date;
  account text;
  key text;
  key_obstacle text;
  key_spent bigint;
  amount integer;
  counted integer;
  counted_until timestamptz;
  obstacle text;
  needs_account boolean;
  row tid;
  balance bigint;
  number integer;
  one record;
begin
  for head in 1 .. size loop
    account := its_accounts[head];
    continue when account = its_accounts[head - 1];
    amount := 0;
    number := head;
    while its_accounts[number] = account loop
      amount := amount + (its_limits[number] is not null)::integer;
      number := number + 1;
    end loop;

    obstacle := null;
    if amount > 0 then
      select account_id = account and endpoint = its_endpoint as is_it, ctid as row into one from rates
      where ctid = its_rate_rows[head] for no key update skip locked;
      if one.is_it is not true then
        select true as is_it, ctid as row into one from rates
        where account_id = account and endpoint = its_endpoint for no key update skip locked;
      end if;
      if one.is_it then
        update rates as rate set (started_at, count) = (
          select
            case when is_new then at else rate.started_at end,
            case when is_new then amount else rate.count + amount end
          from (select clock_timestamp() as at) as clock, lateral (
            select rate.started_at <= at - interval '1 second' or rate.started_at > at + interval '1 second' as is_new
          ) as window_of_requests
        )
        where rate.ctid = one.row
        returning count, started_at + interval '1 second', rate.ctid into counted, counted_until, row;
        rate_rows[head] := row;
      else
        insert into rates (account_id, endpoint, started_at, count)
        select account, its_endpoint, clock_timestamp(), amount
        where not exists (select from rates where account_id = account and endpoint = its_endpoint)
        on conflict do nothing
        returning count, started_at + interval '1 second' into counted, counted_until;
        obstacle := case when not found then 'busy' end;
      end if;
    end if;

    needs_account := false;
    number := head;
    while its_accounts[number] = account loop
      heads[number] := head;
      answers[number] := obstacle;
      if obstacle is null and its_limits[number] is not null then
        amount := amount - 1;
        counts[number] := counted - amount;
        ends[number] := counted_until;
        answers[number] := case when counts[number] > its_limits[number] then 'rate exceeded' end;
      end if;
      needs_account := needs_account or answers[number] is null;
      number := number + 1;
    end loop;
    continue when not needs_account;

    select ctid, available_credits into row, balance from accounts
    where ctid = its_rows[head] and id = account for no key update skip locked;
    if not found then
      select ctid, available_credits into row, balance from accounts
      where id = account for no key update skip locked;
    end if;
    if found then
      account_rows[head] := row;
      balances[head] := balance;
    else
      perform from accounts where id = account;
      obstacle := case when found then 'busy' else 'no account' end;
      for number in head .. number - 1 loop
        answers[number] := coalesce(answers[number], obstacle);
      end loop;
    end if;
  end loop;
  began_at := clock_timestamp();
  today := (began_at at time zone 'UTC')::date;

  -- Equal verifications that are not over, or whose results are kept. Most requests have none.
  for one in
    select each.place, its_orphan, earlier.*
    from unnest(its_accounts, its_questions, its_orphans, answers)
      with ordinality as each (account, its_question, its_orphan, answer, place)
    cross join lateral (
      select * from verifications
      where account_id = account and question = its_question and (state = 'running' or is_promised) for update
    ) as earlier
    where answer is null
  loop
    if one.state = 'kept' and one.expires_at > began_at then
      answers[one.place] := 'kept';
      found_ids[one.place] := one.id;
    elsif one.state = 'kept' then
      update verifications set is_promised = false where id = one.id;
    elsif is_process_alive(one.process_id) and one.id is distinct from one.its_orphan then
      update verifications set is_joined = true where id = one.id and not is_joined;
      answers[one.place] := 'running';
      found_ids[one.place] := one.id;
    else
      number := heads[one.place];
      balances[number] := change_credits(one.account_id, 1, 'refund', one.id::text);
      select ctid into row from accounts where id = one.account_id;
      account_rows[number] := row;
      update key_spending set spent = greatest(spent - 1, 0)
      where key_id = one.key_id and day = (one.started_at at time zone 'UTC')::date;
      delete from verifications where id = one.id;
    end if;
  end loop;

  for place in 1 .. size loop
    if heads[place] = place then
      balance := balances[place];
    end if;
    if its_keys[place] is distinct from key then
      key := its_keys[place];
      key_obstacle := null;
      key_spent := 0;
      if key is not null and account_rows[heads[place]] is not null then
        select case when day = today then spent else 0 end into key_spent from key_spending
        where key_id = key for no key update skip locked;
        if not found then
          perform from key_spending where key_id = key;
          key_obstacle := case when found then 'busy' end;
          key_spent := 0;
        end if;
      end if;
      amount := 0;
    end if;
    if answers[place] is null then
      number := array_position(new_questions, its_questions[place]);
      if number is not null then
        answers[place] := 'running';
        found_ids[place] := new_ids[number];
        new_joined[number] := true;
      elsif key_obstacle is not null then
        answers[place] := key_obstacle;
      elsif key_spent + amount >= its_key_limits[place] then
        answers[place] := 'key spent';
      elsif balance < 1 then
        answers[place] := 'no credits';
      else
        answers[place] := 'started';
        found_ids[place] := its_ids[place];
        balance := balance - 1;
        amount := amount + 1;
        new_ids := new_ids || its_ids[place];
        new_accounts := new_accounts || its_accounts[place];
        new_questions := new_questions || its_questions[place];
        new_keys := new_keys || key;
        new_joined := new_joined || false;
        new_balances := new_balances || balance;
      end if;
    end if;
    if key is not null and amount > 0 and its_keys[place + 1] is distinct from key then
      insert into key_spending (key_id, account_id, day, spent)
      values (key, its_accounts[place], today, amount)
      on conflict (key_id) do update set day = today, spent = key_spent + amount;
    end if;
    if its_accounts[place + 1] is distinct from its_accounts[place] and balance < balances[heads[place]] then
      update accounts set available_credits = balance where ctid = account_rows[heads[place]]
      returning ctid into row;
      account_rows[heads[place]] := row;
    end if;
  end loop;

  if new_ids <> '{}' then
    insert into verifications (id, account_id, question, process_id, key_id, state, is_joined, started_at, expires_at)
    select id, account, question, my_process, key, 'running', is_joined, began_at,
      began_at + make_interval(secs => keep_seconds)
    from unnest(new_ids, new_accounts, new_questions, new_keys, new_joined)
      as each (id, account, question, key, is_joined);
    insert into ledger (account_id, amount, why, of, balance)
    select account, -1, 'verification', id::text, balance
    from unnest(new_ids, new_accounts, new_balances) as each (id, account, balance);
  end if;

  for number in 1 .. size loop
    place := number;
    answer := answers[number];
    verification_id := found_ids[number];
    kept_outcome := null;
    if answer = 'kept' then
      select outcome into kept_outcome from verifications where id = verification_id;
    end if;
    account_row := account_rows[heads[number]];
    rate_row := rate_rows[heads[number]];
    requests := counts[number];
    resets_at := ends[number];
    return next;
  end loop;
end
$$;
