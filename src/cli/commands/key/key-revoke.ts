/** `key revoke`: ends a key permanently. */
import { stopKey } from '../../../service/keys/manage/manage-keys.ts';
import { defineCommand } from '../../command.ts';
import { OPERATOR } from '../operator.ts';
import { KEY_ID, noSuchKey } from './key-flag.ts';

export const keyRevoke = defineCommand({
  words: ['key', 'revoke'],
  description:
    'Revokes a key, and the old value of a rolled key. Running services refuse it within a second.',
  flags: { id: KEY_ID },
  example: 'key revoke --id key_0123456789abcdef01234567',
  async run({ db }, { id }) {
    const revokedAt = await stopKey(db, OPERATOR, { id });
    if (!revokedAt) throw noSuchKey(id);
    return { id, revoked_at: revokedAt.toISOString() };
  },
});
