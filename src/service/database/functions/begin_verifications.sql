-- Several starts in one transaction, in the order of their accounts, in which all processes lock accounts. They are
-- rows instead of arguments, because their number varies.
CREATE OR REPLACE FUNCTION begin_verifications(requests jsonb)
RETURNS TABLE(
  place integer,
  answer text,
  verification_id uuid,
  kept_outcome bytea,
  credits bigint,
  requests_in_second integer,
  resets_at timestamp with time zone
)
LANGUAGE plpgsql
AS $$
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
$$;
