/** `account delete`: deletes an account with everything that belongs to it. */

import { deleteAccount } from '../../../service/deletion/delete-account.ts';
import { readLeft } from '../../../service/deletion/deletion-store.ts';
import { findAccountByEmail, findDeletedByEmail } from '../../../service/people/accounts/account-store.ts';
import { defineCommand } from '../../command.ts';
import { required, toggle } from '../../flags.ts';
import { noSuchAccount, OWNER } from '../owner-flag.ts';

export const accountDelete = defineCommand({
  words: ['account', 'delete'],
  description:
    'Deletes an account with its keys, apps, credits, ledger and batches. You cannot undo this. Nothing of the account works any more, and its address is free again. If the account is large, running services delete the rest within minutes: run the command again to see what is left. That deletes a new account of the same address too, so do not if there is one.',
  flags: { email: OWNER, yes: required(toggle('Confirms the deletion.')) },
  example: 'account delete --email ada@example.com --yes',
  async run({ db }, { email }) {
    const account = (await findAccountByEmail(db, email)) ?? (await findDeletedByEmail(db, email));
    if (!account) throw noSuchAccount(email);
    const { id, owner_email } = account;
    await deleteAccount(db, id);
    const rest = await readLeft(db, id);
    return {
      ...{ id, owner_email, deleted: true },
      since: rest?.since.toISOString() ?? null,
      left: rest?.left ?? null,
    };
  },
});
