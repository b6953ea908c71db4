/** `proof-key roll`: makes the next key that signs proofs. */
import { replaceProofKeys, rollProofKey } from '../../../service/proof/roll-proof-key.ts';
import { defineCommand } from '../../command.ts';
import { toggle } from '../../flags.ts';
import { proofKeyJson } from './proof-key-json.ts';

const REPLACED =
  'Every process signs with this key within 3 seconds. Verifiers forget the keys before it within an hour.';

export const proofKeyRoll = defineCommand({
  words: ['proof-key', 'roll'],
  description:
    'Makes a new key for the proofs and prints from when it signs: in an hour, when all verifiers know it. If one waits already, it prints that one.',
  flags: {
    now: toggle(
      'For a key that has leaked: the new key signs at once, and all others are deleted. Proofs that they have signed are not accepted any more, within an hour.',
    ),
  },
  example: 'proof-key roll',
  async run({ db, durations }, { now }) {
    if (!now) return proofKeyJson(await rollProofKey(db, durations.proof));
    return { ...proofKeyJson(await replaceProofKeys(db, durations.proof)), note: REPLACED };
  },
});
