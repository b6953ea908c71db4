/** `batch list`: the latest batches, of all accounts or of one. */

import { listBatches } from '../../../service/batch/overview/batch-overview-store.ts';
import { findAccountByEmail } from '../../../service/people/accounts/account-store.ts';
import { defineCommand } from '../../command.ts';
import { address, toggle, wholeNumber } from '../../flags.ts';
import { noSuchAccount } from '../owner-flag.ts';
import { batchJson } from './batch-json.ts';

const DEFAULT_LIMIT = 100;

export const batchList = defineCommand({
  words: ['batch', 'list'],
  description:
    'Lists batches, the newest first. If emptied_at has a time, the addresses of the batch have been deleted.',
  flags: {
    email: address("Only those of the account with this owner's address, in upper or lower case."),
    open: toggle('Only those that are not completed.'),
    limit: wholeNumber(
      { from: 1, to: 1_000 },
      `The largest number of batches to list. The default is ${DEFAULT_LIMIT}.`,
    ),
  },
  example: 'batch list --email ada@example.com --open',
  async run({ db }, { email, open = false, limit = DEFAULT_LIMIT }) {
    const account = email === undefined ? undefined : await findAccountByEmail(db, email);
    if (email !== undefined && !account) throw noSuchAccount(email);
    const batches = await listBatches(db, { accountId: account?.id, isOpen: open, limit });
    return batches.map(batchJson);
  },
});
