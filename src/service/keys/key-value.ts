/** Creates the values of keys. */
import { randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 62^32 is about 2^190. */
const LENGTH = 32;

/** A new key that cannot be guessed, such as `live_4fGh…`. */
export function makeKeyValue(mode: 'test' | 'live'): string {
  const random = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${mode}_${random.join('')}`;
}
