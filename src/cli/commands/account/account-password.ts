/** `account password`: a new password for the person whose address the account has. */

import { recordAuditEvent } from '../../../service/audit/audit-store.ts';
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { roleOf } from '../../../service/people/members/member-store.ts';
import { findPersonByEmail } from '../../../service/people/persons/person-store.ts';
import { defineCommand } from '../../command.ts';
import { OPERATOR } from '../operator.ts';
import { accountOf, OWNER } from '../owner-flag.ts';
import { givePassword, PASSWORD_FILE } from './password.ts';

export const accountPassword = defineCommand({
  words: ['account', 'password'],
  description:
    'Sets a new password for the owner who has the address of the account, and ends all sessions of this person. For everybody else, there is person password.',
  flags: { email: OWNER, 'password-file': PASSWORD_FILE },
  example: 'account password --email ada@example.com --password-file password.txt',
  async run(tools, { email, 'password-file': given }) {
    const { db } = tools;
    const account = await accountOf(db, email);
    const owner = await findPersonByEmail(db, account.owner_email);
    if (!owner || (await roleOf(db, account.id, owner.id)) !== 'owner')
      throw new UsageError(
        `Expected --email to be the address of an account and of its owner, got ${quote(email)}, which no owner has. Run person password with the address that the person signs in with.`,
      );
    const event = { accountId: account.id, actor: OPERATOR, action: 'account.password' } as const;
    const made = await givePassword(tools, owner, given, (transaction) =>
      recordAuditEvent(transaction, event),
    );
    return { owner_email: account.owner_email, ...made };
  },
});
