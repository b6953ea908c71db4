/** Parses `application/x-www-form-urlencoded` text, and checks that it is well-formed. */
import { LongText } from '../../shared/long-text.ts';
import { atOnce, STEP_CHARACTERS, type Steps } from '../../shared/steps.ts';

export interface Form {
  readonly pairs: [string, string | LongText][];
  /** False if an escape is broken or is not UTF-8. Its meaning would be a guess. */
  readonly isWellFormed: boolean;
}

/** Follows the URL standard: a plus sign means a space, so a plus sign itself must be `%2B`. */
export function parseForm(text: string): Form {
  return atOnce(parseFormInSteps(text));
}

/** The same for a large text, which has no pairs if it is not well-formed. */
export function* parseFormInSteps(text: string | LongText): Steps<Form> {
  const pieces = typeof text === 'string' ? [text] : text.pieces;
  try {
    if (!pieces.some(holdsBrokenBytes)) return { pairs: yield* readPairs(text), isWellFormed: true };
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  // `URLSearchParams` reads any text, but takes a second for megabytes of plus signs.
  const pairs = typeof text === 'string' ? [...new URLSearchParams(`?${text}`)] : [];
  return { pairs, isWellFormed: false };
}

/** @throws {URIError} for an escape that is broken or is not UTF-8 */
function* readPairs(text: string | LongText): Steps<Form['pairs']> {
  const pairs: Form['pairs'] = [];
  let read = 0;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    if (read >= STEP_CHARACTERS) {
      yield;
      read = 0;
    }
    read += pair.length;
    if (typeof pair !== 'string') {
      pairs.push(yield* readLongPair(pair));
      continue;
    }
    const equals = pair.indexOf('=');
    const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    pairs.push([decode(name), decode(value)]);
  }
  return pairs;
}

/** Nothing has a name as long as a step, so its beginning says enough. */
function* readLongPair(pair: LongText): Steps<Form['pairs'][number]> {
  const equals = pair.indexOf('=');
  const name = yield* decodeInSteps(pair.part(0, equals < 0 ? pair.length : equals));
  const value = equals < 0 ? '' : yield* decodeInSteps(pair.part(equals + 1));
  return [typeof name === 'string' ? name : name.slice(0, STEP_CHARACTERS), value];
}

/** @throws {URIError} for an escape that is broken or is not UTF-8 */
export function decode(written: string): string {
  const spaced = written.includes('+') ? written.replaceAll('+', ' ') : written;
  return spaced.includes('%') ? decodeURIComponent(spaced) : spaced;
}

function* decodeInSteps(written: string | LongText): Steps<string | LongText> {
  if (typeof written === 'string') return decode(written);
  const pieces: string[] = [];
  for (let start = 0; start < written.length; ) {
    const step = written.slice(start, Math.min(written.length, start + STEP_CHARACTERS + 2 * LONGEST_ESCAPE));
    const end = endOfPart(step, STEP_CHARACTERS);
    pieces.push(decode(step.slice(0, end)));
    start += end;
    yield;
  }
  return new LongText(pieces);
}

/** A character of UTF-8 has four bytes at most, and each of them may be an escape of three characters. */
export const LONGEST_ESCAPE = 12;

/** The first place from here on that does not cut the escapes of a character in two. */
export function endOfPart(written: string, from: number): number {
  for (let end = from; end < from + LONGEST_ESCAPE; end += 1) {
    const isInEscape = written[end - 1] === '%' || written[end - 2] === '%';
    // The second byte of a character and all later ones begin with the bits 10.
    const continues = written[end] === '%' && /[89ab]/i.test(written[end + 1] ?? '');
    if (!isInEscape && !continues) return end;
  }
  return from;
}

/** Whether the text was decoded from bytes that are not UTF-8, which become this character. */
export function holdsBrokenBytes(text: string): boolean {
  return text.includes('\uFFFD');
}
