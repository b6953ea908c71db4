-- How many conversations living processes have with an organisation.
-- Only processes of earlier versions call it.
CREATE OR REPLACE FUNCTION open_conversations(its_organisation text)
RETURNS bigint
LANGUAGE sql
AS $$
select coalesce(sum(count), 0)::bigint from (
  select process_id, count(*) from conversations where organisation = its_organisation group by process_id
) as each where is_process_alive(process_id)
$$;
