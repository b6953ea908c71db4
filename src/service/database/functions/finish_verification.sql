-- Ends a live verification with its outcome, once. Returns false without a change if it was already ended or
-- refunded. Another process can promise only a verification that it has joined. A result that was joined but not
-- promised is kept only for the joined requests, so it expires at once.
CREATE OR REPLACE FUNCTION finish_verification(
  its_id uuid,
  of_account text,
  gives_back boolean,
  was_promised boolean,
  its_outcome bytea,
  response_key text,
  response_body text
)
RETURNS boolean
LANGUAGE plpgsql
AS $$
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
$$;
