-- Starts a live verification, or joins an equal one. It takes the credit and makes the row together, so each
-- verification is charged once, and a request that is refused costs nothing.
--
-- The account is locked before the verification, like in a deletion of the account. So two equal requests wait for
-- each other without deadlocks. A kept result that is no longer free stays, because other processes may still be
-- reading it. It is only not promised any more.
CREATE OR REPLACE FUNCTION begin_verification(
  new_id uuid,
  of_account text,
  its_question bytea,
  my_process uuid,
  keep_seconds integer,
  orphan_id uuid,
  rate_endpoint text,
  rate_limit integer
)
RETURNS TABLE(
  answer text,
  verification_id uuid,
  kept_outcome bytea,
  credits bigint,
  requests integer,
  resets_at timestamp with time zone
)
LANGUAGE plpgsql
AS $$
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
$$;
