/** The flag that names an account, and the error for an address without one. */

import { quote, UsageError } from '../../service/core/usage-error.ts';
import { address, required } from '../flags.ts';

export const OWNER = required(address("The address of the account's owner, in upper or lower case."));

/** For `--email` with an address that has no account. */
export function noSuchAccount(email: string): UsageError {
  return new UsageError(
    `Expected --email to be the address of an account, got ${quote(email)}. Run account list to see all.`,
  );
}
