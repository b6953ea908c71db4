/** `account show`: everything about one account. */

import { readLedger } from '../../../service/credits/credit-store.ts';
import { readNotice } from '../../../service/notices/notice-store.ts';
import { findCallbackSecrets } from '../../../service/people/accounts/account-store.ts';
import { defineCommand } from '../../command.ts';
import { accountOf, OWNER } from '../owner-flag.ts';
import { accountJson, limitsJson } from './account-json.ts';

/** How many changes of credits are printed. */
const LEDGER_ROWS = 100;

export const accountShow = defineCommand({
  words: ['account', 'show'],
  description:
    'Shows an account with its callback secret, its notice URL, its limits and its latest 100 changes of credits, newest first. If a limit is null, that of the config file applies.',
  flags: { email: OWNER },
  example: 'account show --email ada@example.com',
  async run({ db }, { email }) {
    const account = await accountOf(db, email);
    const [callback_secret = null] = await findCallbackSecrets(db, account.id);
    const notice = await readNotice(db, account.id);
    const ledger = await readLedger(db, account.id, LEDGER_ROWS);
    return {
      ...accountJson(account),
      callback_secret,
      notice_url: notice?.url ?? null,
      limits: limitsJson(account),
      ledger: ledger.map(({ amount, why, of, balance, at }) => ({
        amount,
        why,
        of,
        balance,
        at: at.toISOString(),
      })),
    };
  },
});
