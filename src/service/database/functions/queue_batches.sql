-- Queues batches that have addresses ready. The account comes before its batches, both in the order of their ids, so
-- that those who queue wait for each other without deadlocks. `changes` tells a worker that has found nothing more of a
-- batch or an account that something was added meanwhile. Once in a transaction is enough, and many versions of a row
-- would take long to pass. The batches are looked up one by one, because a plan that was made while there were few would
-- read all of them.
CREATE OR REPLACE FUNCTION queue_batches(ids text[])
RETURNS void
LANGUAGE sql
AS $$
insert into account_turns as turns (account_id, mode)
select distinct account_id, mode from unnest(ids) as queued (id), lateral (
  select account_id, mode from batches where id = queued.id and completed_at is null limit 1
) as batch order by 1, 2
on conflict (account_id, mode) do update set is_waiting = true, changes = turns.changes + 1
where turns.xmin <> pg_current_xact_id()::xid;
insert into batch_turns as turns (batch_id, account_id, mode)
select id, account_id, mode from unnest(ids) as queued (id), lateral (
  select account_id, mode from batches where id = queued.id and completed_at is null limit 1
) as batch order by 1
on conflict (batch_id) do update set changes = turns.changes + 1
where turns.xmin <> pg_current_xact_id()::xid;
$$;
