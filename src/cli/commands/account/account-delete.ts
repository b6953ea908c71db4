/** `account delete`: deletes an account with everything that belongs to it. */

import { deleteAccountWithBatches } from '../../../service/batch/manage/delete-account.ts';
import { findAccountByEmail } from '../../../service/people/accounts/account-store.ts';
import { defineCommand } from '../../command.ts';
import { required, toggle } from '../../flags.ts';
import { noSuchAccount, OWNER } from '../owner-flag.ts';

export const accountDelete = defineCommand({
  words: ['account', 'delete'],
  description: 'Deletes an account with its keys, apps, credits, ledger and batches. You cannot undo this.',
  flags: { email: OWNER, yes: required(toggle('Confirms the deletion.')) },
  example: 'account delete --email ada@example.com --yes',
  async run({ db }, { email }) {
    const account = await findAccountByEmail(db, email);
    if (!account || !(await deleteAccountWithBatches(db, account.id))) throw noSuchAccount(email);
    return { id: account.id, owner_email: account.owner_email, deleted: true };
  },
});
