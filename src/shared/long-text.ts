/**
 * Texts and lists of megabytes, in pieces. A text of 8 MiB in one piece needs as much memory at once, which takes the
 * system up to 100 ms, while requests wait.
 */
import { STEP_CHARACTERS } from './steps.ts';

export class LongText {
  readonly length: number;
  /** Where each piece begins. */
  readonly #starts: number[] = [];

  /** @param pieces of at most one step each */
  constructor(readonly pieces: readonly string[]) {
    let length = 0;
    for (const piece of pieces) {
      this.#starts.push(length);
      length += piece.length;
    }
    this.length = length;
  }

  /** For parts that are not long. */
  slice(from: number, to = this.length): string {
    return this.#slices(from, to).join('');
  }

  /** The same for any part. */
  part(from: number, to = this.length): string | LongText {
    const slices = this.#slices(from, to);
    return to - from > STEP_CHARACTERS ? new LongText(slices) : slices.join('');
  }

  /** @returns -1 if the character does not come any more */
  indexOf(character: string, from = 0): number {
    for (let index = this.#pieceAt(from); index < this.pieces.length; index += 1) {
      const start = this.#starts[index]!;
      const at = this.pieces[index]!.indexOf(character, Math.max(0, from - start));
      if (at >= 0) return start + at;
    }
    return -1;
  }

  /** What is between each two of these characters, like the parts of a text. */
  *split(character: string): Generator<string | LongText> {
    for (let start = 0; ; ) {
      const end = this.indexOf(character, start);
      yield this.part(start, end < 0 ? this.length : end);
      if (end < 0) return;
      start = end + 1;
    }
  }

  trim(): string | LongText {
    let [start, end] = [0, this.length];
    for (const piece of this.pieces) {
      const rest = piece.trimStart();
      start += piece.length - rest.length;
      if (rest !== '') break;
    }
    for (const piece of [...this.pieces].reverse()) {
      const rest = piece.trimEnd();
      end -= piece.length - rest.length;
      if (rest !== '') break;
    }
    return start < end ? this.part(start, end) : '';
  }

  equals(other: LongText): boolean {
    if (this.length !== other.length) return false;
    for (let start = 0; start < this.length; start += STEP_CHARACTERS) {
      const end = Math.min(this.length, start + STEP_CHARACTERS);
      if (this.slice(start, end) !== other.slice(start, end)) return false;
    }
    return true;
  }

  #slices(from: number, to: number): string[] {
    const slices: string[] = [];
    for (
      let index = this.#pieceAt(from);
      index < this.pieces.length && this.#starts[index]! < to;
      index += 1
    ) {
      const start = this.#starts[index]!;
      slices.push(this.pieces[index]!.slice(Math.max(0, from - start), to - start));
    }
    return slices;
  }

  /** The piece with this place in it. */
  #pieceAt(at: number): number {
    let [low, high] = [0, this.pieces.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= at) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** A list whose text was long. */
export class LongList {
  constructor(readonly parts: readonly (readonly unknown[])[]) {}
}
