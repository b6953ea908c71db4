-- How many conversations living processes have with an organisation. None of them began before `since`: while a snapshot
-- is open, such as that of a backup, a search by the organisation alone goes through all conversations that have ended.
CREATE OR REPLACE FUNCTION conversations_since(its_organisation text, since timestamp with time zone)
RETURNS bigint
LANGUAGE sql
AS $$
select coalesce(sum(count), 0)::bigint from (
  select process_id, count(*) from (
    -- In this order, so that only the index of both is of use.
    select process_id from conversations
    where organisation = its_organisation and begun_at >= since order by begun_at offset 0
  ) as open group by process_id
) as each where is_process_alive(process_id)
$$;
