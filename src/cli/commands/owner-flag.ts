/** The flag that names an account, and the error for an address without one. */
import { quote, UsageError } from '../../service/core/usage-error.ts';
import type { Db } from '../../service/database/schema.ts';
import { findAccountByEmail } from '../../service/people/accounts/account-store.ts';
import type { Values } from '../command.ts';
import { address, required, toggle, wholeNumber } from '../flags.ts';

export const OWNER = required(address("The address of the account's owner, in upper or lower case."));

/** For `--email` with an address that has no account. */
export function noSuchAccount(email: string): UsageError {
  return new UsageError(
    `Expected --email to be the address of an account, got ${quote(email)}. Run account list to see all.`,
  );
}

/** @throws {UsageError} for an address that has no account */
export async function accountOf(db: Db, email: string) {
  const account = await findAccountByEmail(db, email);
  if (!account) throw noSuchAccount(email);
  return account;
}

const DEFAULT_LIMIT = 100;

/** The flags of a list of all accounts. @param open what `--open` leaves */
export const listFlags = (things: string, open: string) => ({
  email: address("Only those of the account with this owner's address, in upper or lower case."),
  open: toggle(open),
  limit: wholeNumber(
    { from: 1, to: 1_000 },
    `The largest number of ${things} to list. The default is ${DEFAULT_LIMIT}.`,
  ),
});

/** What they select. */
export const selectionOf = async (
  db: Db,
  { email, open, limit = DEFAULT_LIMIT }: Values<ReturnType<typeof listFlags>>,
) => ({
  accountId: email === undefined ? undefined : (await accountOf(db, email)).id,
  isOpen: open === true,
  limit,
});
