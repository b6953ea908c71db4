-- Whether a process may still finish its work. It holds a lock of its own in a session of its own, which ends with it,
-- so whoever gets the lock knows that the process is dead. The lock is tried in shared mode, so that several may find
-- out at once, and it ends with the transaction: until then, the process cannot come back. A process whose connection
-- was cut, or whose server was started again, has three seconds to take its lock again. A process that has stopped
-- keeps its lock. The others note that it is silent, and 10 seconds later it counts as dead.
--
-- A process of an earlier release has no host and no lock. It touches its row every 2 seconds, and is dead after 10.
CREATE OR REPLACE FUNCTION is_process_alive(its_id uuid)
RETURNS boolean
LANGUAGE sql
AS $$
select exists (
  select from processes where id = its_id and case
    when host is null then alive_at > clock_timestamp() - interval '10 seconds'
    when suspected_at not between clock_timestamp() - interval '10 seconds'
      and clock_timestamp() + interval '10 seconds' then false
    when alive_at between clock_timestamp() - interval '3 seconds' and clock_timestamp() then true
    when pg_postmaster_start_time() > clock_timestamp() - interval '3 seconds' then true
    else not pg_try_advisory_xact_lock_shared(hashtextextended(id::text, 0))
  end
)
$$;
