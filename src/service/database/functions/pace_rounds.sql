-- Several organisations in one transaction, in the order of their names, in which all processes lock them. It does
-- not wait for the disk. A crash of the server may lose half a second of pacing, which does no harm.
CREATE OR REPLACE FUNCTION pace_rounds(my_process uuid, rounds jsonb, at timestamp with time zone)
RETURNS TABLE(
  place integer,
  begun integer,
  held_back text,
  wait_ms integer,
  is_wanted_elsewhere boolean,
  pace_row tid
)
LANGUAGE plpgsql
AS $$
declare
  round record;
begin
  perform set_config('synchronous_commit', 'off', true);
  for round in
    select * from jsonb_to_recordset(rounds) as each (
      place integer, organisation text, pace_row tid, connections integer, per_minute integer, in_background boolean,
      ids uuid[], waited_ms integer[], endings jsonb
    ) order by organisation, each.place
  loop
    return query select round.place, paced.* from pace_round(
      round.organisation, round.pace_row, my_process, round.connections, round.per_minute,
      round.in_background, round.ids, round.waited_ms, round.endings, at
    ) as paced;
  end loop;
end
$$;
