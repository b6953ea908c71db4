/** `proof-key …`: the keys that sign proofs. What is printed of them never has the private part. */
import { readProofKeys, type StoredKey } from '../../service/proof/proof-key-store.ts';
import { replaceProofKeys, rollProofKey } from '../../service/proof/roll-proof-key.ts';
import { type Command, defineCommand } from '../command.ts';
import { toggle } from '../flags.ts';

const proofKeyJson = ({ kid, state, made_at, signs_from, leaves_at }: StoredKey) => ({
  ...{ kid, state, made_at: made_at.toISOString(), signs_from: signs_from.toISOString() },
  /** When it is published no longer. */
  leaves_at: leaves_at?.toISOString() ?? null,
});

const REPLACED =
  'Every process signs with this key within 3 seconds. Verifiers forget the keys before it within an hour.';

export const PROOF_KEY: readonly Command[] = [
  defineCommand({
    words: ['proof-key', 'list'],
    description:
      'Lists the keys of the proofs, the oldest first: the one that signs, the next one that waits, and earlier ones that are still published.',
    flags: {},
    example: 'proof-key list',
    async run({ db }) {
      return (await readProofKeys(db)).map(proofKeyJson);
    },
  }),
  defineCommand({
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
  }),
];
