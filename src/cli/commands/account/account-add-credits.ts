/** `account add-credits`: changes the credits of an account. */

import { recordAuditEvent } from '../../../service/audit/audit-store.ts';
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import {
  balanceOf,
  changeCredits,
  type ReferencedCredits,
  takeReference,
} from '../../../service/credits/credit-store.ts';
import type { Db } from '../../../service/database/schema.ts';
import { inTransaction } from '../../../service/database/transaction.ts';
import { defineCommand } from '../../command.ts';
import { required, text, wholeNumber } from '../../flags.ts';
import { OPERATOR } from '../operator.ts';
import { accountOf, OWNER } from '../owner-flag.ts';

export const accountAddCredits = defineCommand({
  words: ['account', 'add-credits'],
  description: 'Adds credits to an account, or takes credits away. Prints the new balance.',
  flags: {
    email: OWNER,
    amount: required(
      wholeNumber({ from: -1e12, to: 1e12 }, 'How many credits. A negative number takes credits away.'),
    ),
    note: text('TEXT', 'The reason. The ledger shows it.'),
    id: text(
      'REFERENCE',
      'Your name for this change, such as the number of a payment. The same one again changes nothing, so you can repeat the command.',
    ),
  },
  example: 'account add-credits --email ada@example.com --amount 500 --note "Invoice 42" --id invoice-42',
  check({ amount }) {
    if (amount === 0)
      throw new UsageError('Expected --amount to be a whole number other than 0, got 0. Correct it.');
  },
  async run({ db }, { email, amount, note, id }) {
    const account = await accountOf(db, email);
    const { id: accountId, owner_email } = account;
    const of = note ?? id;
    return inTransaction(db, async (transaction) => {
      if (id !== undefined && (await isRepeated(transaction, { reference: id, accountId, amount }))) {
        const available_credits = (await balanceOf(transaction, accountId)) ?? 0;
        return { owner_email, available_credits, added: false };
      }
      // Above it, JavaScript's numbers are not exact.
      if (account.available_credits + amount > Number.MAX_SAFE_INTEGER) {
        throw new UsageError(
          `Expected --amount to leave at most ${Number.MAX_SAFE_INTEGER} credits, got ${amount} for ${account.available_credits} credits. Add fewer.`,
        );
      }
      const change = { amount, why: 'top-up', ...(of === undefined ? {} : { of }) } as const;
      const changed = await changeCredits(transaction, accountId, change);
      if (!changed) {
        const balance = (await balanceOf(transaction, accountId)) ?? 0;
        throw new UsageError(
          `Expected --amount to leave 0 credits or more, got ${amount} for ${balance} credits. Take ${balance} at most.`,
        );
      }
      const details = { amount, ...(of === undefined ? {} : { note: of }) };
      await recordAuditEvent(transaction, { accountId, actor: OPERATOR, action: 'account.credits', details });
      return {
        ...{ owner_email, available_credits: changed.balance },
        ...(id === undefined ? {} : { added: true }),
      };
    });
  },
});

/** @throws {UsageError} for a reference of another change */
async function isRepeated(db: Db, wanted: ReferencedCredits): Promise<boolean> {
  const taken = await takeReference(db, wanted);
  if (!taken) return false;
  const { reference, accountId, amount } = wanted;
  if (taken.accountId !== accountId)
    throw new UsageError(
      `Expected --id to be the reference of a change of this account, got ${quote(reference)} of another account. Choose another reference.`,
    );
  if (taken.amount !== amount)
    throw new UsageError(
      `Expected --amount to be ${taken.amount}, as before with --id ${quote(reference)}, got ${amount}. Repeat the amount, or choose another reference.`,
    );
  return true;
}
