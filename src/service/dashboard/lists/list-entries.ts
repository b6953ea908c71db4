/** Reads the address column of a list: which entries go into the batch, and which are left out. */
import { isAddress } from '../../../engine/address/syntax.ts';
import { STEP_CHARACTERS, type Steps } from '../../../shared/steps.ts';
import { type BatchEntries, CollectedEntries } from '../../batch/entries/collected-entries.ts';
import { CountedTexts } from '../../batch/entries/counted-texts.ts';
import { cutEntry, nameOf, workOf } from '../../batch/parse-addresses.ts';
import type { NumberedCell } from '../../lists/list-store.ts';
import { addressIn } from '../../lists/reading/address-in.ts';

const MOST_EXAMPLES = 3;
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
  /** The first distinct ones of those. */
  readonly examples: readonly string[];
}

/** Addresses are equal if they differ only in case or in the white space around them. Equal addresses share a place. */
export class EntriesOfColumn implements Entries {
  readonly entries = new CollectedEntries();
  readonly numbers: number[] = [];
  readonly places: number[] = [];
  blank = 0;
  malformed = 0;
  readonly examples: string[] = [];
  readonly #malformed = new CountedTexts();

  /**
   * @param leavesOutMalformed whether cells that are not addresses stay out of the batch, where each would cost a
   * credit
   */
  constructor(private readonly leavesOutMalformed: boolean) {}

  /** Adds the cells of some rows. */
  *addAll(cells: Iterable<NumberedCell>): Steps<void> {
    let work = 0;
    for (const { number, cell } of cells) {
      const text = cell ?? '';
      work += workOf(text);
      if (work > STEP_CHARACTERS) {
        yield;
        work = 0;
      }
      this.add(number, text);
    }
  }

  add(number: number, cell: string): void {
    const address = addressIn(cell);
    if (address === '') {
      this.blank += 1;
      return;
    }
    if (!isAddress(address)) {
      this.malformed += 1;
      const example = shorten(cell.trim());
      if (this.examples.length < MOST_EXAMPLES && !this.examples.includes(example))
        this.examples.push(example);
      if (NOT_STORABLE.test(address)) return;
      this.#malformed.add(nameOf(address, cutEntry(address)));
      if (this.leavesOutMalformed) return;
    }
    this.numbers.push(number);
    const stored = cutEntry(address);
    this.places.push(this.entries.add(nameOf(address, stored), stored));
  }

  get saved(): number {
    return this.#malformed.size;
  }
}

const shorten = (text: string) =>
  text.length > LONGEST_EXAMPLE ? `${text.slice(0, LONGEST_EXAMPLE - 1)}…` : text;
