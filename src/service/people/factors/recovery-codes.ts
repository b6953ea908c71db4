/**
 * Recovery codes, for people who have lost their second factor. A code has 120 random bits, so a plain digest is enough
 * (ASVS 5, 6.5.2), and nobody guesses one.
 */
import { randomBytes } from 'node:crypto';
import { digestOf } from '../../../shared/sha256.ts';
import type { Db } from '../../database/schema.ts';
import { replaceCodes } from './recovery-code-store.ts';

/** How many a person gets at once. */
export const CODES_AT_ONCE = 10;
/** With so many left, pages ask for new ones. */
export const FEW_CODES = 3;

/** Without letters that look like a digit (Crockford's Base32). */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 24;

/** Gives a person new codes, and ends the old ones. @returns the codes, which are shown once */
export async function makeRecoveryCodes(db: Db, personId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES_AT_ONCE }, makeCode);
  await replaceCodes(db, personId, codes.map(digestOfCode));
  return codes;
}

/** 256 is a multiple of 32, so each letter is as likely as the others. */
const makeCode = (): string =>
  [...randomBytes(LENGTH)]
    .map((byte, index) => `${index > 0 && index % 4 === 0 ? '-' : ''}${LETTERS[byte % 32]}`)
    .join('');

/** The digest of a code as somebody types it: in any case, with any spaces and dashes, and with look-alikes. */
export const digestOfCode = (typed: string): Buffer =>
  digestOf(
    `recovery code ${typed
      .toLowerCase()
      .replace(/[^0-9a-z]/g, '')
      .replaceAll('o', '0')
      .replace(/[il]/g, '1')}`,
  );
