/** `key list`: the keys of an account, without their values. */

import { listKeys } from '../../../service/keys/key-store.ts';
import { defineCommand } from '../../command.ts';
import { accountOf, OWNER } from '../owner-flag.ts';
import { keyJson } from './key-json.ts';

export const keyList = defineCommand({
  words: ['key', 'list'],
  description:
    'Lists the keys of an account, with the revoked ones. It shows only the last 4 characters of each key.',
  flags: { email: OWNER },
  example: 'key list --email ada@example.com',
  async run({ db }, { email }) {
    const account = await accountOf(db, email);
    const keys = await listKeys(db, account.id);
    return keys.map((key) => ({
      ...keyJson(key),
      last4: key.last4,
      created_at: key.created_at.toISOString(),
      last_used_at: key.last_used_at?.toISOString() ?? null,
      revoked_at: key.revoked_at?.toISOString() ?? null,
    }));
  },
});
