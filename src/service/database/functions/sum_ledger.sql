-- Keeps the sums by day equal to the ledger. Rows that are inserted together share one change of their day. It also makes
-- the next looks at the accounts due that have a notice URL. A locked notice is skipped: whoever locks it makes the look
-- due too, and the look itself holds the account.
CREATE OR REPLACE FUNCTION sum_ledger()
RETURNS trigger
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
begin
  insert into ledger_days as known (account_id, day, why, amount, count, first_id, last_id)
  select account_id, (at at time zone 'UTC')::date as day, why, sum(amount), count(*), min(id), max(id)
  from added group by account_id, day, why order by account_id, day, why
  on conflict (account_id, day, why) do update set
    amount = known.amount + excluded.amount, count = known.count + excluded.count,
    first_id = least(known.first_id, excluded.first_id), last_id = greatest(known.last_id, excluded.last_id);
  update notices set look_at = statement_timestamp() where account_id = any(array(
    select account_id from notices
    where account_id = any(array(select account_id from added)) and look_at > statement_timestamp()
    for no key update skip locked
  ));
  return null;
end
$$;

CREATE TRIGGER sum_ledger AFTER INSERT ON ledger REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_ledger();
