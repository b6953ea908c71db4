/** Recognises an address in what is stored, as batches do: case and the white space around it do not matter. */
import { asciiInJson } from '../../database/ascii.ts';
import { withoutCase } from '../parse-addresses.ts';

export interface Matcher {
  /** What a stored JSON text has to contain, in the form of `asciiOf()`. It finds too much, never too little. */
  readonly ascii: string;
  /** Whether the text is the address. */
  is(text: string): boolean;
  /** Whether the address is part of the text, as in `Ada <ada@example.com>`. Longer addresses do not count. */
  isIn(text: string): boolean;
}

/** What an address may go on with at its two ends. */
const BEFORE = "(?<![\\p{L}\\p{N}.!#$%&'*+/=?^_`{|}~-])";
const AFTER = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])';

export function createMatcher(address: string): Matcher {
  const wanted = withoutCase(address.trim());
  const escaped = wanted.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const whole = new RegExp(`${BEFORE}${escaped}${AFTER}`, 'u');
  const is = (text: string) => withoutCase(text.trim()) === wanted;
  return { ascii: asciiInJson(wanted), is, isIn: (text) => is(text) || whole.test(withoutCase(text)) };
}
