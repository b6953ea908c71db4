/** `account password`: a new password for the person whose address the account has. */

import { recordAuditEvent } from '../../../service/audit/audit-store.ts';
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { inTransaction } from '../../../service/database/transaction.ts';
import { hashPassword } from '../../../service/people/accounts/password-hash.ts';
import { roleOf } from '../../../service/people/members/member-store.ts';
import { recordPersonEvent } from '../../../service/people/persons/person-events.ts';
import { findPersonByEmail, setPersonPassword } from '../../../service/people/persons/person-store.ts';
import { defineCommand } from '../../command.ts';
import { OPERATOR } from '../operator.ts';
import { accountOf, OWNER } from '../owner-flag.ts';
import { makePassword, PASSWORD_FILE, refuseUnfit } from './password.ts';

export const accountPassword = defineCommand({
  words: ['account', 'password'],
  description:
    'Sets a new password for the owner who has the address of the account, and ends all sessions of this person.',
  flags: { email: OWNER, 'password-file': PASSWORD_FILE },
  example: 'account password --email ada@example.com --password-file password.txt',
  async run({ db, serviceUrl }, { email, 'password-file': given }) {
    const password = given ?? makePassword();
    const account = await accountOf(db, email);
    const owner = await findPersonByEmail(db, account.owner_email);
    if (!owner || (await roleOf(db, account.id, owner.id)) !== 'owner') throw noSuchOwner(email);
    if (given !== undefined) await refuseUnfit(db, given, owner, serviceUrl);
    const hash = await hashPassword(password);
    const isSet = await inTransaction(db, async (transaction) => {
      const done = await setPersonPassword(transaction, owner.id, hash);
      const event = { accountId: account.id, actor: OPERATOR, action: 'account.password' } as const;
      if (!done) return false;
      await recordAuditEvent(transaction, event);
      await recordPersonEvent(transaction, { personId: owner.id, event: 'password.changed', by: OPERATOR });
      return true;
    });
    if (!isSet) throw noSuchOwner(email);
    return { owner_email: account.owner_email, ...(given === undefined ? { password } : {}) };
  },
});

const noSuchOwner = (email: string) =>
  new UsageError(
    `Expected --email to be the address of an account and of its owner, got ${quote(email)}, which no owner has.`,
  );
