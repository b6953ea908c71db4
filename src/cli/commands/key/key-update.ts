/** `key update`: changes the settings of a key that its owner can change too. */
import { UsageError } from '../../../service/core/usage-error.ts';
import { changeKey, settingsOf } from '../../../service/keys/manage/manage-keys.ts';
import { defineCommand } from '../../command.ts';
import { required, wholeNumber } from '../../flags.ts';
import { OPERATOR } from '../operator.ts';
import { MOST_DAILY_CREDITS, testKeysAreFree } from './daily-credits.ts';
import { KEY_ID, noSuchKey } from './key-flag.ts';
import { keyJson } from './key-json.ts';

export const keyUpdate = defineCommand({
  words: ['key', 'update'],
  description:
    'Changes how many credits a live public key may spend in a day. It takes effect within a second.',
  flags: {
    id: KEY_ID,
    'daily-credits': required(
      wholeNumber(
        { from: 0, to: MOST_DAILY_CREDITS },
        'How many credits the key may spend in a day (UTC). 0 removes the limit.',
      ),
    ),
  },
  example: 'key update --id key_0123456789abcdef01234567 --daily-credits 500',
  async run({ db }, { id, 'daily-credits': credits }) {
    let changed: ReturnType<typeof keyJson> | undefined;
    await changeKey(db, OPERATOR, { id }, (key) => {
      if (key.kind === 'private') {
        throw new UsageError(
          'Expected --id to be the id of a public key, got that of a private one. Only public keys have a limit.',
        );
      }
      if (key.mode === 'test') throw testKeysAreFree();
      const settings = { ...settingsOf(key), daily_credits: credits === 0 ? null : credits };
      changed = keyJson({ ...key, ...settings });
      return settings;
    });
    if (!changed) throw noSuchKey(id);
    return changed;
  },
});
