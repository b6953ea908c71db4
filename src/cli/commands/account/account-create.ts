/** `account create`: a new account with a password and credits. */

import { recordAuditEvent } from '../../../service/audit/audit-store.ts';
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { inTransaction } from '../../../service/database/transaction.ts';
import { createAccount } from '../../../service/people/accounts/account-store.ts';
import { hashPassword } from '../../../service/people/accounts/password-hash.ts';
import { defineCommand } from '../../command.ts';
import { address, required, wholeNumber } from '../../flags.ts';
import { OPERATOR } from '../operator.ts';
import { accountJson } from './account-json.ts';
import { makePassword, PASSWORD_FILE } from './password.ts';

export const accountCreate = defineCommand({
  words: ['account', 'create'],
  description: 'Creates an account.',
  flags: {
    email: required(address("The owner's email address. The owner signs in with it.")),
    credits: wholeNumber({ from: 0, to: 1e12 }, 'The first credits of the account. The default is 0.'),
    'password-file': PASSWORD_FILE,
  },
  example: 'account create --email ada@example.com --credits 1000',
  async run({ db }, { email, credits = 0, 'password-file': given }) {
    const password = given ?? makePassword();
    const passwordHash = await hashPassword(password);
    const account = await inTransaction(db, async (transaction) => {
      const made = await createAccount(transaction, { email, passwordHash, credits });
      if (made === 'exists') return made;
      const event = {
        accountId: made.id,
        actor: OPERATOR,
        action: 'account.create',
        details: { credits },
      } as const;
      await recordAuditEvent(transaction, event);
      return made;
    });
    if (account === 'exists') {
      throw new UsageError(
        `Expected --email to be an address without an account, got ${quote(email)}. Run account show to see it.`,
      );
    }
    return { ...accountJson(account), ...(given === undefined ? { password } : {}) };
  },
});
