/** Reads the address column of a list: which entries go into the batch, and which are left out. */
import { isAddress } from '../../../engine/address/syntax.ts';
import { STEP_CHARACTERS, type Steps } from '../../../shared/steps.ts';
import { type BatchEntries, CollectedEntries } from '../../batch/entries/collected-entries.ts';
import { CountedTexts } from '../../batch/entries/counted-texts.ts';
import { cutEntry, nameOf, workOf } from '../../batch/parse-addresses.ts';
import type { NumberedCell } from '../../lists/list-store.ts';
import { addressIn } from '../../lists/reading/address-in.ts';
import { type WhyNot, whyNotAddress } from '../../lists/reading/why-not-address.ts';

const LONGEST_EXAMPLE = 60;
/** The database cannot hold these characters in a text. No address has them. */
const NOT_STORABLE = /[\0\p{Cs}]/u;

export interface Entries {
  /** Each distinct address once, in the order of the list. */
  readonly entries: BatchEntries;
  /** The rows that have an entry, and the place of the entry for each. */
  readonly numbers: readonly number[];
  readonly places: readonly number[];
  /** The rows without anything in the column. */
  readonly blank: number;
  /** The rows whose cell is not an address. */
  readonly malformed: number;
  /** The credits saved by leaving those out. Each distinct one would cost one. */
  readonly saved: number;
  /** Why they are not, most frequent first. */
  readonly reasons: readonly Reason[];
  /** The rows with anything in the column that the spreadsheet hides. */
  readonly hidden: number;
}

/** Why some cells are not addresses. */
export interface Reason {
  readonly why: WhyNot;
  readonly count: number;
  /** The first of these cells. */
  readonly example: string;
}

/** What stays out of the batch, where each would cost a credit. */
export interface LeavesOut {
  /** Cells that are not addresses. */
  readonly malformed: boolean;
  /** Rows that the spreadsheet hides, as a filter does. */
  readonly hidden: boolean;
}

/** Addresses are equal if they differ only in case or in the white space around them. Equal addresses share a place. */
export class EntriesOfColumn implements Entries {
  readonly entries = new CollectedEntries();
  readonly numbers: number[] = [];
  readonly places: number[] = [];
  blank = 0;
  malformed = 0;
  hidden = 0;
  readonly #malformed = new CountedTexts();
  readonly #reasons = new Map<WhyNot, { count: number; readonly example: string }>();

  constructor(private readonly leavesOut: LeavesOut) {}

  /** Adds the cells of some rows. */
  *addAll(cells: Iterable<NumberedCell>): Steps<void> {
    let work = 0;
    for (const { number, cell, is_hidden } of cells) {
      const text = cell ?? '';
      work += workOf(text);
      if (work > STEP_CHARACTERS) {
        yield;
        work = 0;
      }
      this.add(number, text, is_hidden);
    }
  }

  add(number: number, cell: string, isHidden = false): void {
    const address = addressIn(cell);
    if (address === '') {
      this.blank += 1;
      return;
    }
    if (isHidden) {
      this.hidden += 1;
      if (this.leavesOut.hidden) return;
    }
    if (!isAddress(address)) {
      this.malformed += 1;
      this.#explain(cell);
      if (NOT_STORABLE.test(address)) return;
      this.#malformed.add(nameOf(address, cutEntry(address)));
      if (this.leavesOut.malformed) return;
    }
    this.numbers.push(number);
    const stored = cutEntry(address);
    this.places.push(this.entries.add(nameOf(address, stored), stored));
  }

  #explain(cell: string): void {
    const why = whyNotAddress(cell);
    const reason = this.#reasons.get(why);
    if (reason) reason.count += 1;
    else this.#reasons.set(why, { count: 1, example: shorten(cell.trim()) });
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

const shorten = (text: string) =>
  text.length > LONGEST_EXAMPLE ? `${text.slice(0, LONGEST_EXAMPLE - 1)}…` : text;
