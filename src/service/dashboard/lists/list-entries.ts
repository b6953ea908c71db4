/** Reads the address columns of a list: which entries go into the batch, and which are left out. */
import { isAddress } from '../../../engine/address/syntax.ts';
import { STEP_CHARACTERS, type Steps } from '../../../shared/steps.ts';
import { type BatchEntries, CollectedEntries } from '../../batch/entries/collected-entries.ts';
import { CountedTexts } from '../../batch/entries/counted-texts.ts';
import { cutEntry, nameOf, workOf } from '../../batch/parse-addresses.ts';
import { shorten } from '../../core/format.ts';
import type { NumberedCells } from '../../lists/list-store.ts';
import { addressIn } from '../../lists/reading/address-in.ts';
import { addressesIn } from '../../lists/reading/several-addresses.ts';
import { type WhyNot, whyNotAddress } from '../../lists/reading/why-not-address.ts';

const LONGEST_EXAMPLE = 60;
/** The database cannot hold these characters in a text. No address has them. */
const NOT_STORABLE = /[\0\p{Cs}]/u;

export interface Entries {
  /** Each distinct address once, in the order of the list. */
  readonly entries: BatchEntries;
  /** All entries of the rows, duplicates included. */
  readonly total: number;
  /** The rows that have an entry, and the place of the first entry for each. */
  readonly numbers: readonly number[];
  readonly places: readonly number[];
  /** The places of all entries of each, as arrays of PostgreSQL, if a row may have several. */
  readonly several: readonly string[] | undefined;
  /** The rows without anything in the columns. */
  readonly blank: number;
  /** The cells that are not an address. */
  readonly malformed: number;
  /** The cells with several addresses. */
  readonly joined: number;
  /** The credits saved by leaving those out. Each distinct one would cost one. */
  readonly saved: number;
  /** Why they are not, most frequent first. */
  readonly reasons: readonly Reason[];
  /** The rows with anything in the columns that the spreadsheet hides. */
  readonly hidden: number;
}

/** Why some cells are not addresses. */
export interface Reason {
  readonly why: WhyNot;
  readonly count: number;
  /** The first of these cells. */
  readonly example: string;
}

/** What the owner wants of the cells. */
export interface EntryOptions {
  /** How many columns have addresses. @default 1 */
  readonly columns?: number;
  /** Whether a cell with several addresses counts as these. @default false */
  readonly splits?: boolean;
  /** Whether cells that are not addresses stay out of the batch, where each would cost a credit. */
  readonly leavesOutMalformed: boolean;
  /** Whether rows that the spreadsheet hides stay out of it. @default false */
  readonly leavesOutHidden?: boolean;
}

/** Addresses are equal if they differ only in case or in the white space around them. Equal addresses share a place. */
export class EntriesOfColumns implements Entries {
  readonly entries = new CollectedEntries();
  total = 0;
  readonly numbers: number[] = [];
  readonly places: number[] = [];
  readonly several: string[] | undefined;
  blank = 0;
  malformed = 0;
  joined = 0;
  hidden = 0;
  readonly #malformed = new CountedTexts();
  readonly #reasons = new Map<WhyNot, { count: number; readonly example: string }>();

  constructor(private readonly options: EntryOptions) {
    const { columns = 1, splits = false } = options;
    this.several = columns > 1 || splits ? [] : undefined;
  }

  /** Adds the cells of some rows. */
  *addAll(rows: Iterable<NumberedCells>): Steps<void> {
    let work = 0;
    for (const { number, cells, is_hidden } of rows) {
      const texts = cells.map((cell) => cell ?? '');
      for (const text of texts) work += workOf(text);
      if (work > STEP_CHARACTERS) {
        yield;
        work = 0;
      }
      this.add(number, texts, is_hidden);
    }
  }

  add(number: number, cells: readonly string[], isHidden = false): void {
    if (cells.every((cell) => addressIn(cell) === '')) {
      this.blank += 1;
      return;
    }
    if (isHidden) {
      this.hidden += 1;
      if (this.options.leavesOutHidden) return;
    }
    const places = cells.map((cell) => this.#addCell(cell));
    const all = places.flat();
    if (all.length === 0) return;
    this.total += all.length;
    this.numbers.push(number);
    this.places.push(all[0]!);
    this.several?.push(arrayOf(places));
  }

  /** @returns the places of its addresses */
  #addCell(cell: string): number[] {
    const addresses = addressesIn(cell);
    if (addresses.length > 0) {
      this.joined += 1;
      if (this.options.splits) return addresses.map((address) => this.#addEntry(address));
    }
    const address = addressIn(cell);
    if (address === '') return [];
    if (!isAddress(address)) {
      this.malformed += 1;
      this.#explain(cell);
      if (NOT_STORABLE.test(address)) return [];
      this.#malformed.add(nameOf(address, cutEntry(address)));
      if (this.options.leavesOutMalformed) return [];
    }
    return [this.#addEntry(address)];
  }

  #addEntry(address: string): number {
    const stored = cutEntry(address);
    return this.entries.add(nameOf(address, stored), stored);
  }

  #explain(cell: string): void {
    const why = whyNotAddress(cell);
    const reason = this.#reasons.get(why);
    if (reason) reason.count += 1;
    else this.#reasons.set(why, { count: 1, example: shorten(cell.trim(), LONGEST_EXAMPLE) });
  }

  get reasons(): readonly Reason[] {
    return [...this.#reasons]
      .map(([why, reason]) => ({ why, ...reason }))
      .sort((one, other) => other.count - one.count);
  }

  get saved(): number {
    return this.#malformed.size;
  }
}

/** An array of PostgreSQL, whose rows must have one length. */
function arrayOf(places: readonly (readonly number[])[]): string {
  const length = Math.max(...places.map((some) => some.length));
  const rowOf = (some: readonly number[]) =>
    Array.from({ length }, (_, index) => some[index] ?? 'NULL').join(',');
  return `{${places.map((some) => `{${rowOf(some)}}`).join(',')}}`;
}
