/** The parts of an account that the account commands print. */
import type { AccountLimits, AccountSummary } from '../../../service/people/accounts/account-store.ts';

/** The account without its secrets. */
export function accountJson({ id, owner_email, available_credits }: AccountSummary) {
  return { id, owner_email, available_credits };
}

/** A limit of null is that of the config file. */
export function limitsJson(limits: AccountLimits) {
  const { verify_per_second, batch_per_second, account_per_second, batch_size } = limits;
  const { stored_entries, open_batches } = limits;
  return {
    verify_per_second,
    batch_per_second,
    account_per_second,
    batch_size,
    stored_entries,
    open_batches,
  };
}
