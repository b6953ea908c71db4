-- The earlier form of `end_verifications`, which processes of older releases call during an upgrade.
CREATE OR REPLACE FUNCTION finish_verifications(requests jsonb)
RETURNS TABLE(place integer, is_finished boolean)
LANGUAGE plpgsql
AS $$
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
$$;
