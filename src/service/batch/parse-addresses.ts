/** Reads the parameter `emails`: a text with commas and line breaks, or a list of texts. */
import { createHash } from 'node:crypto';
import { Failure } from '../core/failures.ts';
import { atOnce, STEP_CHARACTERS, type Steps } from '../core/steps.ts';
import { LONGEST_ENTRY } from './storage/storage-limits.ts';

/** An address of a batch. */
export interface BatchEntry {
  /** Its first spelling, without the white space around it. It may be malformed. A long one is cut. */
  readonly address: string;
  /** How many other entries are equal to it. */
  readonly duplicates: number;
}

export interface ParsedAddresses {
  /** Each distinct address once, in the order sent. */
  readonly entries: readonly BatchEntry[];
  /** All entries, duplicates included. */
  readonly total: number;
}

/** For accounts without their own limit (interface, section 8). */
export const MOST_ADDRESSES = 50_000;

/** Ten for each address of a large batch. */
const MOST_EMPTY = 10 * MOST_ADDRESSES;

/** The time that an entry takes, as a number of characters. */
const ENTRY_CHARACTERS = 64;

const EXPECTED = 'Expected emails to be the addresses to verify: a text with commas between them, or a list';

/**
 * Entries are equal if they differ only in case or in the white space around them. It stops at the first entry beyond a
 * limit, because a body can have millions.
 *
 * @throws {Failure} 400 for other types, for no entries, and for more than `most` entries
 */
export function* parseAddresses(emails: unknown, most: number): Steps<ParsedAddresses> {
  const entries = new Map<string, { address: string; duplicates: number }>();
  let [total, empty, work] = [0, 0, 0];
  for (const text of splitEntries(emails)) {
    work += ENTRY_CHARACTERS + text.length;
    if (work > STEP_CHARACTERS) {
      yield;
      work = 0;
    }
    const address = text.trim();
    if (address === '') {
      empty += 1;
      if (empty > MOST_EMPTY) throw tooMany('empty entries', MOST_EMPTY);
      continue;
    }
    total += 1;
    if (total > most) throw tooMany('addresses', most);
    const stored = cutEntry(address);
    const name = stored === address ? withoutCase(address) : yield* nameOfLong(address, stored);
    const earlier = entries.get(name);
    if (earlier) earlier.duplicates += 1;
    else entries.set(name, { address: stored, duplicates: 0 });
  }
  if (total === 0) throw new Failure('badRequest', `${EXPECTED}, got ${noneOf(emails, empty)}.`);
  return { entries: [...entries.values()], total };
}

/** What is there instead of addresses. */
function noneOf(emails: unknown, empty: number): string {
  if (Array.isArray(emails) && empty === 0) return 'an empty list';
  return empty > 1 ? 'only empty entries' : 'nothing';
}

const tooMany = (what: string, most: number) =>
  new Failure('badRequest', `Expected at most ${most} ${what} in emails, got more.`);

/** The entry as it is stored: the beginning of a long one. */
export function cutEntry(address: string): string {
  // Each of them has a byte at least, and three at most.
  const { length } = address;
  if (length * 3 <= LONGEST_ENTRY) return address;
  const begin = Buffer.from(address.slice(0, LONGEST_ENTRY + 1));
  if (length <= LONGEST_ENTRY && begin.length <= LONGEST_ENTRY) return address;
  // Bytes that begin with the bits 10 continue a character.
  let end = LONGEST_ENTRY;
  while ((begin[end]! & 0xc0) === 0x80) end -= 1;
  return `${begin.subarray(0, end)}…`;
}

/** Tells entries apart that are stored in the same way, by their digest. The digest ignores case, too. */
function* nameOfLong(address: string, stored: string): Steps<string> {
  const hash = createHash('sha256');
  for (let start = 0; start < address.length; ) {
    let end = start + STEP_CHARACTERS;
    // Both halves of a character stay together.
    if (/[\ud800-\udbff]/.test(address[end - 1] ?? '')) end += 1;
    hash.update(withoutCase(address.slice(start, end)));
    start = end;
    if (start < address.length) yield;
  }
  return stored + hash.digest('base64');
}

/** The same text for all entries that are equal. @param stored by `cutEntry` */
export const nameOf = (address: string, stored: string): string =>
  stored === address ? withoutCase(address) : atOnce(nameOfLong(address, stored));

/**
 * The same text for all spellings of an address, without white space around it.
 *
 * Sigma has two small letters, and which one a capital becomes depends on its place (Unicode, SpecialCasing.txt).
 */
export const withoutCase = (address: string) => address.toLowerCase().replaceAll('ς', 'σ');

function splitEntries(emails: unknown): Iterable<string> {
  if (typeof emails === 'string') return split(emails);
  if (Array.isArray(emails)) return textsOf(emails);
  throw new Failure(
    'badRequest',
    `${EXPECTED} of texts, got ${emails === undefined ? 'nothing' : 'something else'}.`,
  );
}

const SEPARATORS = [',', '\n', '\r'];

function* split(text: string): Generator<string> {
  // The next place of each. A search for all of them at once would be slower, and could not stop early.
  const next = SEPARATORS.map((separator) => text.indexOf(separator));
  for (let start = 0; ; ) {
    let end = text.length;
    for (const [index, separator] of SEPARATORS.entries()) {
      if (next[index]! >= 0 && next[index]! < start) next[index] = text.indexOf(separator, start);
      if (next[index]! >= 0 && next[index]! < end) end = next[index]!;
    }
    yield text.slice(start, end);
    if (end === text.length) return;
    start = end + 1;
  }
}

/** A comma in an entry of a list may be part of a quoted local part, so it does not split the entry. */
function* textsOf(list: readonly unknown[]): Generator<string> {
  for (const [index, entry] of list.entries()) {
    if (typeof entry !== 'string')
      throw new Failure('badRequest', `${EXPECTED} of texts, got something else in emails[${index}].`);
    yield entry;
  }
}
