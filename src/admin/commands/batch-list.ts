/** `batch list`: the latest batches, of all accounts or of one. */
import { findAccountByEmail } from '../../service/accounts/store.ts';
import { listBatches } from '../../service/batch/overview/store.ts';
import { defineCommand } from '../command.ts';
import { address, toggle, wholeNumber } from '../flags.ts';
import { batchJson } from './batch-json.ts';
import { noSuchAccount } from './owner-flag.ts';

const DEFAULT_LIMIT = 100;

export const batchList = defineCommand({
  words: ['batch', 'list'],
  description:
    'Lists batches, the newest first. A batch whose addresses have been deleted has a time in emptied_at.',
  flags: {
    email: address("Only those of the account with this owner's address, in upper or lower case."),
    open: toggle('Only those that are not completed.'),
    limit: wholeNumber({ from: 1, to: 1_000 }, `How many are listed at most. Without it, ${DEFAULT_LIMIT}.`),
  },
  example: 'batch list --email ada@example.com --open',
  async run({ db }, { email, open = false, limit = DEFAULT_LIMIT }) {
    const account = email === undefined ? undefined : await findAccountByEmail(db, email);
    if (email !== undefined && !account) throw noSuchAccount(email);
    const batches = await listBatches(db, { accountId: account?.id, isOpen: open, limit });
    return batches.map(batchJson);
  },
});
