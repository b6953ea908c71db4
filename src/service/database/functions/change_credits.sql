-- The only change of credits: the balance equals the sum of the ledger and is never below zero, because one
-- statement writes both. Returns null without a change if the account does not have enough credits, or does not
-- exist.
CREATE OR REPLACE FUNCTION change_credits(of_account text, change bigint, reason text, subject text)
RETURNS bigint
LANGUAGE sql
AS $$
with changed as (
  update accounts set available_credits = available_credits + change
  where id = of_account and available_credits + change >= 0
  returning id, available_credits
)
insert into ledger (account_id, amount, why, of, balance)
select id, change, reason, subject, available_credits from changed
returning balance
$$;
