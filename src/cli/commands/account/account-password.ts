/** `account password`: a new password for an account. */

import { recordAuditEvent } from '../../../service/audit/audit-store.ts';
import { inTransaction } from '../../../service/database/transaction.ts';
import { setPasswordHash } from '../../../service/people/accounts/account-store.ts';
import { hashPassword } from '../../../service/people/accounts/password-hash.ts';
import { defineCommand } from '../../command.ts';
import { OPERATOR } from '../operator.ts';
import { accountOf, noSuchAccount, OWNER } from '../owner-flag.ts';
import { makePassword, PASSWORD_FILE } from './password.ts';

export const accountPassword = defineCommand({
  words: ['account', 'password'],
  description: 'Sets a new password for an account, and ends all its sessions.',
  flags: { email: OWNER, 'password-file': PASSWORD_FILE },
  example: 'account password --email ada@example.com --password-file password.txt',
  async run({ db }, { email, 'password-file': given }) {
    const password = given ?? makePassword();
    const account = await accountOf(db, email);
    const hash = await hashPassword(password);
    const isSet = await inTransaction(db, async (transaction) => {
      const done = await setPasswordHash(transaction, account.id, hash);
      const event = { accountId: account.id, actor: OPERATOR, action: 'account.password' } as const;
      if (done) await recordAuditEvent(transaction, event);
      return done;
    });
    if (!isSet) throw noSuchAccount(email);
    return { owner_email: account.owner_email, ...(given === undefined ? { password } : {}) };
  },
});
