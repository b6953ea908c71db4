/**
 * The keys that sign proofs. The states of a key, of which the database knows only the times:
 *
 *     roll ──▶ waiting ──an hour──▶ signing ──the next one signs──▶ retired ──an hour after its last proof──▶ deleted
 *
 * `roll --now` makes a key that signs at once, and deletes all others. So does the first start, with no others.
 *
 * Verifiers keep what they have fetched for an hour. So a key is published for an hour before it signs, and for an hour
 * after its last proof has ended.
 */
import type { PublishedKey } from '../../protocol/proof.ts';
import type { MaybePromise } from '../keys/key.ts';
import { type KeyPair, publishedKeyOf, type SigningKey, signingKeyOf } from './key-pair.ts';

/** How long verifiers may keep the published keys. */
export const KEYS_MAX_AGE_S = 3600;

/** Until every process knows of a change, because each reads the keys again after a second. */
const SPREAD_S = 2;

/** How long a key waits, and how long it is published after its last proof has ended. */
export const KNOWN_AFTER_S = KEYS_MAX_AGE_S + SPREAD_S;

/** The keys at one moment. */
export type CurrentKeys = { readonly signing: SigningKey; readonly published: readonly PublishedKey[] };

/** The keys of a process. */
export interface ProofKeys {
  /** Rejects if the database cannot be read. Keys that are older than a second are read again. */
  current(): MaybePromise<CurrentKeys>;
}

/** The one key of a service without a database. It is made when it is first needed, unless there is one. */
export function createLoneKey(find: () => KeyPair): ProofKeys {
  let keys: CurrentKeys | undefined;
  return {
    current() {
      if (!keys) {
        const pair = find();
        keys = { signing: signingKeyOf(pair), published: [publishedKeyOf(pair)] };
      }
      return keys;
    },
  };
}
