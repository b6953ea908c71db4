-- Several ends in one transaction. Two transactions that lock the same verifications in different orders would
-- deadlock, so several ends lock their accounts first, like every start.
CREATE OR REPLACE FUNCTION end_verifications(requests jsonb)
RETURNS TABLE(place integer, ending text)
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
$$;
