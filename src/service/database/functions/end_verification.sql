-- Ends a live verification once: with the row, its refund or its charge becomes final, and a late end returns
-- `lost`. Without an outcome, for one that no request needs. If a request joined or got a 249, the call changes no
-- row and asks for the outcome. If the process dies before its second call, the verification is lost as if it had
-- died before the end.
CREATE OR REPLACE FUNCTION end_verification(
  its_id uuid,
  of_account text,
  gives_back boolean,
  was_promised boolean,
  response_key text,
  response_body text
)
RETURNS text
LANGUAGE plpgsql
AS $$
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
$$;
