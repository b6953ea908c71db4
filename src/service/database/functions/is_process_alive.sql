-- Whether a process may still finish its work. It holds a lock of its own in a session of its own, which ends with it,
-- so whoever gets the lock knows that the process is dead. The lock is tried in shared mode, so that several may find
-- out at once, and it ends with the transaction: until then, the process cannot come back. A process whose connection
-- was cut, or whose server was started again, has three seconds to take its lock again. A process that has stopped
-- keeps its lock. The others note that it is silent, and 10 seconds later it counts as dead.
--
-- While the lock is held, the row is not read, but only the notes: it has a version for each beat, of which an open
-- snapshot keeps all. For that, the lock is taken for a moment.
--
-- A process of an earlier release has no host and no lock. It touches its row every 2 seconds, and is dead after 10.
CREATE OR REPLACE FUNCTION is_process_alive(its_id uuid)
RETURNS boolean
LANGUAGE sql
AS $$
select case
  when pg_try_advisory_lock_shared(hashtextextended(its_id::text, 0))
    and pg_advisory_unlock_shared(hashtextextended(its_id::text, 0))
  then exists (
    select from processes where id = its_id and case
      when host is null then alive_at > clock_timestamp() - interval '10 seconds'
      when suspected_at not between clock_timestamp() - interval '10 seconds'
        and clock_timestamp() + interval '10 seconds' then false
      when alive_at between clock_timestamp() - interval '3 seconds' and clock_timestamp() then true
      when pg_postmaster_start_time() > clock_timestamp() - interval '3 seconds' then true
      else not pg_try_advisory_xact_lock_shared(hashtextextended(id::text, 0))
    end
  )
  else not exists (
    select from processes
    where id = its_id and suspected_at is not null
      and suspected_at not between clock_timestamp() - interval '10 seconds' and clock_timestamp() + interval '10 seconds'
  )
end
$$;
