/** The code that a person types from a device: eight letters, shown as `XXXX-XXXX` (RFC 8628, section 6.1). */
import { randomInt } from 'node:crypto';

/** Without vowels, to prevent words, and without letters that look alike. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** 20^8 is about 2^34. The page limits guesses. */
export const makeUserCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

export const showUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** Reads what a person typed: in any case, with or without hyphen and spaces. @returns the eight letters, or undefined */
export function readUserCode(typed: string): string | undefined {
  const code = typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase();
  return /^[A-Z]{8}$/.test(code) ? code : undefined;
}
