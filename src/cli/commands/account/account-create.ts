/** `account create`: a new account with a password and credits. */

import { recordAuditEvent } from '../../../service/audit/audit-store.ts';
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { inTransaction } from '../../../service/database/transaction.ts';
import { hashPassword } from '../../../service/people/accounts/password-hash.ts';
import { createAccount, type NotCreated } from '../../../service/people/members/create-account.ts';
import { defineCommand } from '../../command.ts';
import { address, required, toggle, wholeNumber } from '../../flags.ts';
import { OPERATOR } from '../operator.ts';
import { makePassword, PASSWORD_FILE, refuseUnfit } from './password.ts';

export const accountCreate = defineCommand({
  words: ['account', 'create'],
  description:
    'Creates an account, and the person who owns it. With --existing-person, a person who has the address already becomes the owner, and keeps the password.',
  flags: {
    email: required(address("The owner's email address. The owner signs in with it.")),
    credits: wholeNumber({ from: 0, to: 1e12 }, 'The first credits of the account. The default is 0.'),
    'password-file': PASSWORD_FILE,
    'existing-person': toggle(
      'Makes the person who has this address the owner. Without it, such an address is refused.',
    ),
  },
  example: 'account create --email ada@example.com --credits 1000',
  async run(
    { db, serviceUrl, passwordCost },
    { email, credits = 0, 'password-file': given, 'existing-person': isExisting },
  ) {
    if (isExisting && given !== undefined)
      throw new UsageError(
        'Expected --existing-person or --password-file, got both. The person keeps the password.',
      );
    if (given !== undefined) await refuseUnfit(db, given, { id: undefined, email }, serviceUrl);
    const password = given ?? makePassword();
    const passwordHash = isExisting ? undefined : await hashPassword(password, passwordCost);
    const account = await inTransaction(db, async (transaction) => {
      const made = await createAccount(transaction, { email, passwordHash, credits });
      if (typeof made === 'string') return made;
      const event = { accountId: made.id, actor: OPERATOR, action: 'account.create' } as const;
      await recordAuditEvent(transaction, { ...event, details: { credits } });
      return made;
    });
    if (typeof account === 'string') throw new UsageError(FAULTS[account](quote(email)));
    return { ...account, ...(given === undefined && !isExisting ? { password } : {}) };
  },
});

const FAULTS: Readonly<Record<NotCreated, (email: string) => string>> = {
  exists: (email) =>
    `Expected --email to be an address without an account, got ${email}. Run account show to see it.`,
  'person-exists': (email) =>
    `Expected --email to be the address of a new person, got ${email}, who is a person already. To make this person the owner, add --existing-person. The password stays.`,
  'no-person': (email) =>
    `Expected --email to be the address of a person, got ${email}. Without --existing-person, the command makes the person.`,
};
