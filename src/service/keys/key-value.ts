/** Creates the values of keys, and the digests that are stored instead. */
import { randomInt } from 'node:crypto';
import { sha256 } from '../../shared/sha256.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 62^32 is about 2^190. */
const LENGTH = 32;

/** A new key that cannot be guessed, such as `live_4fGh…`. */
export function makeKeyValue(mode: 'test' | 'live'): string {
  const random = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${mode}_${random.join('')}`;
}

/** The digest of a key as the database stores it. */
export function keyDigest(value: string): Buffer {
  return Buffer.from(sha256(value), 'hex');
}
