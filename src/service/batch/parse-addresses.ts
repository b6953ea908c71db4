/** Reads the parameter `emails`: a text with commas and line breaks, or a list of texts. */
import { createHash } from 'node:crypto';
import { oneSpelling } from '../../engine/address/spelling.ts';
import { LongList, LongText } from '../../shared/long-text.ts';
import { atOnce, STEP_CHARACTERS, type Steps } from '../../shared/steps.ts';
import { Failure } from '../core/failures.ts';
import { CollectedEntries } from './entries/collected-entries.ts';
import { LONGEST_ENTRY } from './storage/storage-limits.ts';

/** For accounts without their own limit (interface, section 8). */
export const MOST_ADDRESSES = 50_000;

/** For each address that a batch may have. */
const MOST_EMPTY = 10;

/** The time that an entry takes, as a number of characters. */
const ENTRY_CHARACTERS = 64;
/** The same for a character that may need the tables of Unicode, as those of a domain in Chinese do. */
const UNICODE_CHARACTERS = 64;
const NEEDS_NO_UNICODE = /^(?!.*xn--)[a-z0-9.@+-]*$/i;

/** How long it takes to read an entry, as a number of characters. */
export function workOf(entry: string | LongText): number {
  const { length } = entry;
  // The spelling of a longer one is not looked at.
  const isPlain = length > LONGEST_ENTRY || typeof entry !== 'string' || NEEDS_NO_UNICODE.test(entry);
  return ENTRY_CHARACTERS + (isPlain ? length : length * UNICODE_CHARACTERS);
}

const EXPECTED = 'Expected emails to be the addresses to verify: a text with commas between them, or a list';

/** The entries of `emails`, as they are read. */
export class AddressReader {
  readonly entries = new CollectedEntries();
  /** All entries, duplicates included. */
  total = 0;
  #empty = 0;

  /** @param most how many addresses there may be */
  constructor(private readonly most: number) {}

  /**
   * Entries are equal if they differ only in their spelling, in case or in the white space around them. It stops at the first entry beyond
   * a limit, because a body can have millions.
   *
   * @throws {Failure} 400 for more entries than there may be
   */
  *read(texts: Iterable<string | LongText>): Steps<void> {
    let work = 0;
    for (const text of texts) {
      work += workOf(text);
      if (work > STEP_CHARACTERS) {
        yield;
        work = 0;
      }
      const address = text.trim();
      if (address === '') {
        this.#empty += 1;
        const most = MOST_EMPTY * Math.max(this.most, MOST_ADDRESSES);
        if (this.#empty > most) throw tooMany('empty entries', most);
        continue;
      }
      this.total += 1;
      if (this.total > this.most) throw tooMany('addresses', this.most);
      const stored = cutEntry(typeof address === 'string' ? address : address.slice(0, LONGEST_ENTRY + 1));
      const name = stored === address ? withoutSpelling(stored) : yield* nameOfLong(address, stored);
      this.entries.add(name, stored);
    }
  }

  /** @throws {Failure} 400 for no entries */
  end(isList: boolean): this {
    if (this.total > 0) return this;
    throw new Failure('badRequest', `${EXPECTED}, got ${this.#whatElse(isList)}.`);
  }

  /** What is there instead of addresses. */
  #whatElse(isList: boolean): string {
    if (isList && this.#empty === 0) return 'an empty list';
    return this.#empty > 1 ? 'only empty entries' : 'nothing';
  }
}

/** @throws {Failure} 400 for other types, for no entries, and for more than `most` entries */
export function* parseAddresses(emails: unknown, most: number): Steps<AddressReader> {
  const reader = new AddressReader(most);
  yield* reader.read(splitEntries(emails));
  return reader.end(Array.isArray(emails) || emails instanceof LongList);
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
function* nameOfLong(address: string | LongText, stored: string): Steps<string> {
  const hash = createHash('sha256');
  for (let start = 0; start < address.length; ) {
    let end = start + STEP_CHARACTERS;
    // Both halves of a character stay together.
    if (/[\ud800-\udbff]/.test(address.slice(end - 1, end))) end += 1;
    hash.update(withoutCase(address.slice(start, end)));
    start = end;
    if (start < address.length) yield;
  }
  return stored + hash.digest('base64');
}

/** The same text for all entries that are equal. @param stored by `cutEntry` */
export const nameOf = (address: string, stored: string): string =>
  stored === address ? withoutSpelling(address) : atOnce(nameOfLong(address, stored));

/** The same text for all entries that are one mailbox, without white space around them. */
export const withoutSpelling = (address: string) => withoutCase(oneSpelling(address)).normalize('NFC');

/**
 * The same text for upper and lower case.
 *
 * Sigma has two small letters, and which one a capital becomes depends on its place (Unicode, SpecialCasing.txt).
 */
export const withoutCase = (address: string) => address.toLowerCase().replaceAll('ς', 'σ');

function splitEntries(emails: unknown): Iterable<string | LongText> {
  if (typeof emails === 'string') return split(emails);
  if (emails instanceof LongText) return splitLong(emails);
  if (Array.isArray(emails)) return textsOf(emails);
  if (emails instanceof LongList) return textsOfParts(emails);
  throw new Failure(
    'badRequest',
    `${EXPECTED} of texts, got ${emails === undefined ? 'nothing' : 'something else'}.`,
  );
}

const SEPARATORS = [',', '\n', '\r'];

/** The entries of a text. */
export function* split(text: string): Generator<string> {
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

/** The same of a long text. */
export function* splitLong({ pieces }: LongText): Generator<string | LongText> {
  /** The beginning of an entry whose end is in another piece. */
  let begun: string[] = [];
  for (const piece of pieces) {
    let last: string | undefined;
    for (const entry of split(piece)) {
      if (last !== undefined) {
        yield begun.length === 0 ? last : new LongText([...begun, last]).part(0);
        begun = [];
      }
      last = entry;
    }
    begun.push(last!);
  }
  yield new LongText(begun).part(0);
}

/**
 * A comma in an entry of a list may be part of a quoted local part, so it does not split the entry.
 *
 * @param first the index of the first one
 */
export function* textsOf(list: readonly unknown[], first = 0): Generator<string | LongText> {
  for (const [index, entry] of list.entries()) {
    if (typeof entry !== 'string' && !(entry instanceof LongText))
      throw new Failure(
        'badRequest',
        `${EXPECTED} of texts, got something else in emails[${first + index}].`,
      );
    yield entry;
  }
}

function* textsOfParts({ parts }: LongList): Generator<string | LongText> {
  let first = 0;
  for (const part of parts) {
    yield* textsOf(part, first);
    first += part.length;
  }
}
