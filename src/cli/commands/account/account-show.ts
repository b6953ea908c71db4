/** `account show`: everything about one account. */

import { readLedger } from '../../../service/credits/credit-store.ts';
import { findAccountByEmail, findCallbackSecrets } from '../../../service/people/accounts/account-store.ts';
import { defineCommand } from '../../command.ts';
import { noSuchAccount, OWNER } from '../owner-flag.ts';
import { accountJson, limitsJson } from './account-json.ts';

/** How many changes of credits are printed. */
const LEDGER_ROWS = 100;

export const accountShow = defineCommand({
  words: ['account', 'show'],
  description:
    'Shows an account with its callback secret, its limits and its latest 100 changes of credits, newest first. If a limit is null, that of the config file applies.',
  flags: { email: OWNER },
  example: 'account show --email ada@example.com',
  async run({ db }, { email }) {
    const account = await findAccountByEmail(db, email);
    if (!account) throw noSuchAccount(email);
    const [callback_secret = null] = await findCallbackSecrets(db, account.id);
    const ledger = await readLedger(db, account.id, LEDGER_ROWS);
    return {
      ...accountJson(account),
      callback_secret,
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
