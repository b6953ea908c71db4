/** `key roll`: gives a key a new value. */
import { giveNewValue, LONGEST_OVERLAP } from '../../../service/keys/manage/manage-keys.ts';
import { defineCommand } from '../../command.ts';
import { wholeNumber } from '../../flags.ts';
import { OPERATOR } from '../operator.ts';
import { KEY_ID, noSuchKey } from './key-flag.ts';
import { keyJson } from './key-json.ts';

export const keyRoll = defineCommand({
  words: ['key', 'roll'],
  description: 'Replaces the value of a key and prints the new one. The key keeps its id and its settings.',
  flags: {
    id: KEY_ID,
    overlap: wholeNumber(
      { from: 0, to: LONGEST_OVERLAP, placeholder: 'SECONDS' },
      'How long the old value still works, up to 7 days. Without it, the old value stops working at once.',
    ),
  },
  example: 'key roll --id key_0123456789abcdef01234567 --overlap 86400',
  async run({ db }, { id, overlap = 0 }) {
    const rolled = await giveNewValue(db, OPERATOR, { id }, { overlapSeconds: overlap });
    // The other refusal only occurs on outdated pages.
    if (typeof rolled !== 'object') throw noSuchKey(id);
    return { key: rolled.key, ...keyJson(rolled) };
  },
});
