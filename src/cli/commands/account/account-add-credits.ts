/** `account add-credits`: changes the credits of an account. */

import { recordAuditEvent } from '../../../service/audit/audit-store.ts';
import { UsageError } from '../../../service/core/usage-error.ts';
import { balanceOf, changeCredits } from '../../../service/credits/credit-store.ts';
import { inTransaction } from '../../../service/database/transaction.ts';
import { findAccountByEmail } from '../../../service/people/accounts/account-store.ts';
import { defineCommand } from '../../command.ts';
import { required, text, wholeNumber } from '../../flags.ts';
import { OPERATOR } from '../operator.ts';
import { noSuchAccount, OWNER } from '../owner-flag.ts';

export const accountAddCredits = defineCommand({
  words: ['account', 'add-credits'],
  description: 'Adds credits to an account, or takes credits away. Prints the new balance.',
  flags: {
    email: OWNER,
    amount: required(
      wholeNumber({ from: -1e12, to: 1e12 }, 'How many credits. A negative number takes credits away.'),
    ),
    note: text('TEXT', 'The reason. The ledger shows it.'),
  },
  example: 'account add-credits --email ada@example.com --amount 500 --note "Invoice 42"',
  check({ amount }) {
    if (amount === 0) {
      throw new UsageError('Expected --amount to be a whole number other than 0, got 0. Correct it.');
    }
  },
  async run({ db }, { email, amount, note }) {
    const account = await findAccountByEmail(db, email);
    if (!account) throw noSuchAccount(email);
    // Above it, JavaScript's numbers are not exact.
    if (account.available_credits + amount > Number.MAX_SAFE_INTEGER) {
      throw new UsageError(
        `Expected --amount to leave at most ${Number.MAX_SAFE_INTEGER} credits, got ${amount} for ${account.available_credits} credits. Add fewer.`,
      );
    }
    const changed = await inTransaction(db, async (transaction) => {
      const change = { amount, why: 'top-up', ...(note === undefined ? {} : { of: note }) } as const;
      const done = await changeCredits(transaction, account.id, change);
      const details = { amount, ...(note === undefined ? {} : { note }) };
      const event = { accountId: account.id, actor: OPERATOR, action: 'account.credits', details } as const;
      if (done) await recordAuditEvent(transaction, event);
      return done;
    });
    if (!changed) {
      const balance = (await balanceOf(db, account.id)) ?? 0;
      throw new UsageError(
        `Expected --amount to leave 0 credits or more, got ${amount} for ${balance} credits. Take ${balance} at most.`,
      );
    }
    return { owner_email: account.owner_email, available_credits: changed.balance };
  },
});
