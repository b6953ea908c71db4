/** The keys of a service with a database. Every process reads them there, so all have the same. */
import type { Db } from '../database/schema.ts';
import { holdBriefly } from '../keys/cached-lookups.ts';
import { publishedKeyOf, type SigningKey, signingKeyOf } from './key-pair.ts';
import { lengthenProofs, openProofKey, readProofKeys } from './proof-key-store.ts';
import type { CurrentKeys, ProofKeys } from './proof-keys.ts';
import { makeFirstProofKey } from './roll-proof-key.ts';

/** A key that has leaked must not sign for longer than 3 seconds after it was replaced, in any process. */
const HOLD_MS = 1_000;

/** @param seconds how long the proofs of this process are valid @param now as `holdBriefly` takes it */
export function createStoredProofKeys(db: Db, seconds: number, now?: () => number): ProofKeys {
  let latest: SigningKey | undefined;

  async function read(): Promise<CurrentKeys> {
    let keys = await readProofKeys(db);
    if (keys.length === 0) {
      await makeFirstProofKey(db, seconds);
      keys = await readProofKeys(db);
    }
    // Before it signs, so that no key leaves while one of its proofs is valid.
    if (keys.some(({ proof_seconds }) => proof_seconds < seconds)) await lengthenProofs(db, seconds);
    // If the database's clock was set back, all may seem to wait.
    const signing = keys.find(({ state }) => state === 'signing') ?? keys[0]!;
    if (latest?.kid !== signing.kid) latest = signingKeyOf(openProofKey(db, signing));
    return { signing: latest, published: keys.map(publishedKeyOf) };
  }

  const held = holdBriefly(read, HOLD_MS, now);
  return { current: () => held('keys') };
}
