-- Whether a process may still finish its work. It touches its row every 2 seconds, and others take over after 10.
CREATE OR REPLACE FUNCTION is_process_alive(its_id uuid)
RETURNS boolean
LANGUAGE sql
AS $$
select exists (
  select from processes where id = its_id and alive_at > clock_timestamp() - interval '10 seconds'
)
$$;
