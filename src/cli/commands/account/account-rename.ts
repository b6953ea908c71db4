/** `account rename`: gives an account another address. */
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { renameAccount } from '../../../service/people/accounts/rename-account.ts';
import { defineCommand } from '../../command.ts';
import { address, required } from '../../flags.ts';
import { OPERATOR } from '../operator.ts';
import { accountOf, noSuchAccount, OWNER } from '../owner-flag.ts';

export const accountRename = defineCommand({
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
});
