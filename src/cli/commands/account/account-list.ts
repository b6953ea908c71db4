/** `account list`: every account. */
import { listAccounts } from '../../../service/people/accounts/account-store.ts';
import { defineCommand } from '../../command.ts';
import { accountJson } from './account-json.ts';

export const accountList = defineCommand({
  words: ['account', 'list'],
  description: 'Lists all accounts, the oldest first.',
  flags: {},
  example: 'account list',
  run: async ({ db }) => (await listAccounts(db)).map(accountJson),
});
