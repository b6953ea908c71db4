/** Reads the parameter `emails`: a text with commas and line breaks, or a list of texts. */
import { Failure } from '../failures.ts';

/** An address of a batch. */
export interface BatchEntry {
  /** Its first spelling, without the white space around it. It may be malformed. */
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

const EXPECTED = 'Expected emails to be the addresses to verify: a text with commas between them, or a list';

/**
 * Entries are equal if they differ only in case or in the white space around them.
 *
 * @throws {Failure} 400 for other types, for no entries, and for more than `most` entries
 */
export function parseAddresses(emails: unknown, most: number): ParsedAddresses {
  const entries = new Map<string, { address: string; duplicates: number }>();
  let total = 0;
  for (const text of splitEntries(emails)) {
    const address = text.trim();
    if (address === '') continue;
    total += 1;
    // The others are only counted, because a body can have millions.
    if (total > most) continue;
    const name = withoutCase(address);
    const earlier = entries.get(name);
    if (earlier) earlier.duplicates += 1;
    else entries.set(name, { address, duplicates: 0 });
  }
  if (total === 0) throw new Failure('badRequest', `${EXPECTED}, got nothing.`);
  if (total > most) {
    throw new Failure('badRequest', `Expected at most ${most} addresses in emails, got ${total}.`);
  }
  return { entries: [...entries.values()], total };
}

/**
 * The same text for all spellings of an address, without white space around it.
 *
 * Sigma has two small letters, and which one a capital becomes depends on its place (Unicode, SpecialCasing.txt).
 */
export const withoutCase = (address: string) => address.toLowerCase().replaceAll('ς', 'σ');

/** A comma in an entry of a list may be part of a quoted local part, so it does not split the entry. */
function splitEntries(emails: unknown): string[] {
  if (typeof emails === 'string') return emails.split(/[,\r\n]/);
  if (Array.isArray(emails) && emails.every((entry) => typeof entry === 'string')) return emails;
  const got = emails === undefined ? 'nothing' : 'something else';
  throw new Failure('badRequest', `${EXPECTED} of texts, got ${got}.`);
}
