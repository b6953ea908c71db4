/**
 * Counts how often each text comes. It keeps a hash of each distinct text and not the text, and all of them outside the
 * heap: a million texts take 30 MB, and the garbage collector never looks at them.
 */
import { randomBytes } from 'node:crypto';

/** The words of a text: four of its hash, and its count. */
const WORDS = 5;
const COUNT = 4;
const HASH_WORDS = 4;
/** How many texts a block holds. Blocks are never copied. */
const BLOCK = 1_024;
const FEWEST_SLOTS = 16;
/** A table grows by itself, so a text never waits for the growth of all. */
const TABLES = 64;

interface Table {
  /** The place of a text plus one, where its hash says or in the next free slot after that. */
  slots: Int32Array;
  taken: number;
}

export class CountedTexts {
  /** How many distinct texts there are. */
  size = 0;
  readonly #key = new Int32Array(Uint8Array.from(randomBytes(8)).buffer);
  readonly #hash = new Int32Array(HASH_WORDS);
  readonly #blocks: Int32Array[] = [];
  readonly #tables = Array.from(
    { length: TABLES },
    (): Table => ({ slots: new Int32Array(FEWEST_SLOTS), taken: 0 }),
  );

  /** @returns the place of the text among the distinct ones, from 0 in the order in which they came */
  add(text: string): number {
    hashText(text, this.#key, this.#hash);
    const table = this.#tables[this.#hash[1]! & (TABLES - 1)]!;
    const { slots } = table;
    const mask = slots.length - 1;
    let slot = this.#hash[0]! & mask;
    for (let taken = slots[slot]!; taken !== 0; taken = slots[slot]!) {
      const block = this.#blockOf(taken - 1);
      const at = startOf(taken - 1);
      if (this.#isHashAt(block, at)) {
        block[at + COUNT]! += 1;
        return taken - 1;
      }
      slot = (slot + 1) & mask;
    }
    const place = this.#append();
    slots[slot] = place + 1;
    table.taken += 1;
    if (table.taken * 2 > slots.length) this.#grow(table);
    return place;
  }

  /** How often the text of this place has come. */
  countOf(place: number): number {
    return this.#blockOf(place)[startOf(place) + COUNT]!;
  }

  #blockOf(place: number): Int32Array {
    return this.#blocks[Math.floor(place / BLOCK)]!;
  }

  #isHashAt(block: Int32Array, at: number): boolean {
    for (let word = 0; word < HASH_WORDS; word += 1) if (block[at + word] !== this.#hash[word]) return false;
    return true;
  }

  #append(): number {
    const place = this.size;
    if (place % BLOCK === 0) this.#blocks.push(new Int32Array(BLOCK * WORDS));
    this.#blockOf(place).set(this.#hash, startOf(place));
    this.#blockOf(place)[startOf(place) + COUNT] = 1;
    this.size += 1;
    return place;
  }

  /** At most half of the slots are taken, so the next free one is near. */
  #grow(table: Table): void {
    const slots = new Int32Array(table.slots.length * 2);
    const mask = slots.length - 1;
    for (const taken of table.slots) {
      if (taken === 0) continue;
      let slot = this.#blockOf(taken - 1)[startOf(taken - 1)]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = taken;
    }
    table.slots = slots;
  }
}

const startOf = (place: number): number => (place % BLOCK) * WORDS;

/**
 * HalfSipHash-2-4 (Aumasson and Bernstein) with an output of 128 bits: equal hashes of different texts are out of the
 * question. It needs a secret key, so nobody can choose texts that take the same slot. Node's own hashes would leave an
 * object for each text to the garbage collector.
 */
export function hashText(
  text: string,
  [key0, key1]: ArrayLike<number> & Iterable<number>,
  hash: Int32Array,
): void {
  const { length } = text;
  const words = (length + 1) >> 1;
  let v0 = key0! | 0;
  let v1 = key1! ^ 0xee;
  let v2 = key0! ^ 0x6c796765;
  let v3 = key1! ^ 0x74656462;
  // Two characters make a word. The length is the last one. The words of the hash follow.
  for (let step = 0; step <= words + HASH_WORDS; step += 1) {
    const isInput = step <= words;
    let word = 0;
    if (step < words) {
      const at = step * 2;
      word = text.charCodeAt(at) | (at + 1 < length ? text.charCodeAt(at + 1) << 16 : 0);
    } else if (isInput) word = length;
    if (isInput) v3 ^= word;
    else if (step === words + 1) v2 ^= 0xee;
    else v1 ^= 0xdd;
    for (let round = isInput ? 2 : 4; round > 0; round -= 1) {
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
    if (isInput) v0 ^= word;
    else hash[step - words - 1] = v1 ^ v3;
  }
}
