/** Makes keys: the first one, the next one, and one that replaces a leaked one. */
import type { Db } from '../database/schema.ts';
import { inTransaction } from '../database/transaction.ts';
import { makeKeyPair } from './key-pair.ts';
import {
  deleteOtherProofKeys,
  forgetProofKeys,
  insertProofKey,
  lockProofKeys,
  readProofKeys,
  type StoredKey,
} from './proof-key-store.ts';
import { KNOWN_AFTER_S } from './proof-keys.ts';

/** A key signs for 90 days. */
const ROLLED_AFTER_S = 90 * 24 * 60 * 60;

/** Makes a key if there is none. It signs at once, because no verifier has fetched any keys yet. */
export async function makeFirstProofKey(db: Db, proofSeconds: number): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await lockProofKeys(transaction);
    if ((await readProofKeys(transaction)).length > 0) return;
    await insertProofKey(transaction, makeKeyPair(), { inSeconds: 0, proofSeconds });
  });
}

/** @returns the key that signs next. If one waits already, no other is made */
export async function rollProofKey(db: Db, proofSeconds: number): Promise<StoredKey> {
  return inTransaction(db, async (transaction) => {
    await lockProofKeys(transaction);
    const keys = await readProofKeys(transaction);
    if (keys.at(-1)?.state === 'waiting') return keys.at(-1)!;
    const inSeconds = keys.length === 0 ? 0 : KNOWN_AFTER_S;
    await insertProofKey(transaction, makeKeyPair(), { inSeconds, proofSeconds });
    return (await readProofKeys(transaction)).at(-1)!;
  });
}

/** Replaces all keys by one that signs at once. Processes read the keys again each second. @returns the key */
export async function replaceProofKeys(db: Db, proofSeconds: number): Promise<StoredKey> {
  return inTransaction(db, async (transaction) => {
    await lockProofKeys(transaction);
    const pair = makeKeyPair();
    await insertProofKey(transaction, pair, { inSeconds: 0, proofSeconds });
    await deleteOtherProofKeys(transaction, pair.kid);
    return (await readProofKeys(transaction))[0]!;
  });
}

/** Makes the next key when the last one is 90 days old, and deletes those that have left. */
export async function keepProofKeys(db: Db, proofSeconds: number): Promise<void> {
  const newest = (await readProofKeys(db)).at(-1);
  // Of two processes that find this at once, the second one finds the key of the first.
  if (newest && newest.signing_seconds >= ROLLED_AFTER_S) await rollProofKey(db, proofSeconds);
  await forgetProofKeys(db);
}
