-- Deletes what belongs to a deleted account. Its tables have no foreign key, because each row would look up its account,
-- and every version of it while a snapshot is open. Who writes them holds the account, except for the counts of results:
-- those that are being added stay, so that whoever adds them is not waited for, and the audit of the night deletes them.
CREATE OR REPLACE FUNCTION forget_account()
RETURNS trigger
LANGUAGE plpgsql
AS $$
begin
  delete from ledger using gone where account_id = gone.id;
  delete from ledger_days using gone where account_id = gone.id;
  delete from verifications using gone where account_id = gone.id;
  delete from key_spending using gone where account_id = gone.id;
  delete from daily_results where ctid = any(array(
    select counts.ctid from gone join daily_results as counts on account_id = gone.id for update of counts skip locked
  ));
  delete from unproved_results where ctid = any(array(
    select counts.ctid from gone join unproved_results as counts on account_id = gone.id for update of counts skip locked
  ));
  return null;
end
$$;

CREATE TRIGGER forget_account AFTER DELETE ON accounts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_account();
