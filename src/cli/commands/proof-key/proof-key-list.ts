/** `proof-key list`: the published keys that proofs are checked with. */
import { readProofKeys } from '../../../service/proof/proof-key-store.ts';
import { defineCommand } from '../../command.ts';
import { proofKeyJson } from './proof-key-json.ts';

export const proofKeyList = defineCommand({
  words: ['proof-key', 'list'],
  description:
    'Lists the keys of the proofs, the oldest first: the one that signs, the next one that waits, and earlier ones that are still published.',
  flags: {},
  example: 'proof-key list',
  async run({ db }) {
    return (await readProofKeys(db)).map(proofKeyJson);
  },
});
