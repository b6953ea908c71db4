/** `account limits`: sets limits that differ from those of the config file. */

import { recordAuditEvent } from '../../../service/audit/audit-store.ts';
import { TEST_STORAGE } from '../../../service/batch/storage/storage-limits.ts';
import { UsageError } from '../../../service/core/usage-error.ts';
import { inTransaction } from '../../../service/database/transaction.ts';
import { setAccountLimits } from '../../../service/people/accounts/account-store.ts';
import { defineCommand } from '../../command.ts';
import { wholeNumber } from '../../flags.ts';
import { OPERATOR } from '../operator.ts';
import { accountOf, noSuchAccount, OWNER } from '../owner-flag.ts';

/** A limit of a million has no effect. */
const limit = (description: string, to = 1_000_000) => wholeNumber({ from: 1, to }, description);

export const accountLimits = defineCommand({
  words: ['account', 'limits'],
  description:
    'Sets limits of an account. The other limits stay as they are. Running services apply the change within two seconds.',
  flags: {
    email: OWNER,
    'verify-per-second': limit('Requests to /v1/verify in a second.'),
    'batch-per-second': limit('Requests to /v1/batch in a second.'),
    'account-per-second': limit('Requests to /v1/account in a second.'),
    'batch-size': limit(
      'Email addresses in a batch. Above 50,000, a body of /v1/batch may have 330 bytes for each of them.',
    ),
    'stored-entries': limit(
      `Entries of live batches whose results are kept, and those of test batches if it is below ${TEST_STORAGE.entries}.`,
      1_000_000_000,
    ),
    'open-batches': limit(
      `Live batches that are not completed, and test batches if it is below ${TEST_STORAGE.openBatches}.`,
    ),
  },
  example: 'account limits --email ada@example.com --verify-per-second 100',
  check({ email: _, ...limits }) {
    if (Object.values(limits).some((value) => value !== undefined)) return;
    const names = Object.keys(limits).map((name) => `--${name}`);
    throw new UsageError(`Expected at least one of ${names.join(', ')}, got none. Add one.`);
  },
  async run({ db }, { email, ...given }) {
    const account = await accountOf(db, email);
    const changes = Object.fromEntries(
      Object.entries(given).flatMap(([flag, value]) =>
        value === undefined ? [] : [[flag.replaceAll('-', '_'), value]],
      ),
    );
    const limits = await inTransaction(db, async (transaction) => {
      const set = await setAccountLimits(transaction, account.id, changes);
      const event = { accountId: account.id, actor: OPERATOR, action: 'account.limits' } as const;
      if (set) await recordAuditEvent(transaction, { ...event, details: changes });
      return set;
    });
    if (!limits) throw noSuchAccount(email);
    return { owner_email: account.owner_email, limits };
  },
});
