/** `account …`: accounts as they are, their address and the password of their owner. */
import { recordAuditEvent } from '../../../service/audit/audit-store.ts';
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { readLedger } from '../../../service/credits/credit-store.ts';
import { readNotice } from '../../../service/notices/notice-store.ts';
import { findCallbackSecrets, listAccounts } from '../../../service/people/accounts/account-store.ts';
import { renameAccount } from '../../../service/people/accounts/rename-account.ts';
import { roleOf } from '../../../service/people/members/member-store.ts';
import { findPersonByEmail } from '../../../service/people/persons/person-store.ts';
import { type Command, defineCommand } from '../../command.ts';
import { address, required } from '../../flags.ts';
import { OPERATOR } from '../operator.ts';
import { accountOf, noSuchAccount, OWNER } from '../owner-flag.ts';
import { givePassword, PASSWORD_FILE } from './password.ts';

/** How many changes of credits are printed. */
const LEDGER_ROWS = 100;

export const ACCOUNT: readonly Command[] = [
  defineCommand({
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
  }),
  defineCommand({
    words: ['account', 'list'],
    description: 'Lists all accounts, the oldest first.',
    flags: {},
    example: 'account list',
    run: ({ db }) => listAccounts(db),
  }),
  defineCommand({
    words: ['account', 'show'],
    description:
      'Shows an account with its callback secret, its notice URL, its limits and its latest 100 changes of credits, newest first. If a limit is null, that of the config file applies.',
    flags: { email: OWNER },
    example: 'account show --email ada@example.com',
    async run({ db }, { email }) {
      const account = await accountOf(db, email);
      const { id, owner_email, available_credits, stored_entries, open_batches } = account;
      // A limit of null is that of the config file.
      const { verify_per_second, batch_per_second, account_per_second, batch_size } = account;
      const [callback_secret = null] = await findCallbackSecrets(db, id);
      const notice = await readNotice(db, id);
      const ledger = await readLedger(db, id, LEDGER_ROWS);
      return {
        ...{ id, owner_email, available_credits },
        callback_secret,
        notice_url: notice?.url ?? null,
        limits: {
          ...{ verify_per_second, batch_per_second, account_per_second, batch_size },
          ...{ stored_entries, open_batches },
        },
        ledger: ledger.map(({ amount, why, of, balance, at }) => ({
          ...{ amount, why, of, balance, at: at.toISOString() },
        })),
      };
    },
  }),
  defineCommand({
    words: ['account', 'rename'],
    description:
      'Gives an account another address, which names it in commands and in GET /v1/account. The addresses that its members sign in with stay.',
    flags: { email: OWNER, to: required(address('The new address. No other account may have it.')) },
    example: 'account rename --email ada@example.com --to verify@example.com',
    async run({ db }, { email, to }) {
      const { id, owner_email: before } = await accountOf(db, email);
      const renamed = await renameAccount(db, { id, from: before, to, actor: OPERATOR });
      if (renamed === 'taken') {
        throw new UsageError(
          `Expected --to to be an address without an account, got ${quote(to)}. Run account show to see it.`,
        );
      }
      // Another command has renamed or deleted it meanwhile.
      if (renamed === 'gone') throw noSuchAccount(email);
      return { id, owner_email: to, before };
    },
  }),
];
