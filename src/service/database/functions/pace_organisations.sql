-- Several organisations in one transaction, in the order of their names, in which all processes lock them. It does
-- not wait for the disk. A crash of the server may lose half a second of pacing, which does no harm. A round without
-- `in_background` is from a process of an older version.
-- Only processes of earlier versions call it.
CREATE OR REPLACE FUNCTION pace_organisations(my_process uuid, rounds jsonb, at timestamp with time zone)
RETURNS TABLE(
  place integer,
  begun integer,
  held_back text,
  wait_ms integer,
  is_wanted_elsewhere boolean
)
LANGUAGE plpgsql
AS $$
declare
  round record;
begin
  perform set_config('synchronous_commit', 'off', true);
  for round in
    select * from jsonb_to_recordset(rounds) as each (
      place integer, organisation text, connections integer, per_minute integer, in_background boolean,
      ids uuid[], waited_ms integer[], endings jsonb
    ) order by organisation, each.place
  loop
    return query select round.place, paced.* from pace_organisation(
      round.organisation, my_process, round.connections, round.per_minute,
      coalesce(round.in_background, false), round.ids, round.waited_ms, round.endings, at
    ) as paced;
  end loop;
end
$$;
