/** `key revoke`: ends a key for good. */
import { revokeKey } from '../../service/keys/store.ts';
import { defineCommand } from '../command.ts';
import { KEY_ID, noSuchKey } from './key-flag.ts';

export const keyRevoke = defineCommand({
  words: ['key', 'revoke'],
  description: 'Revokes a key with all its values. Running services refuse it within a second.',
  flags: { id: KEY_ID },
  example: 'key revoke --id key_0123456789abcdef01234567',
  async run({ db }, { id }) {
    const now = new Date();
    if (!(await revokeKey(db, id, now))) throw noSuchKey(id);
    return { id, revoked_at: now.toISOString() };
  },
});
