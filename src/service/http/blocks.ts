/** Keeps the bytes of a body that arrive one by one. */

/** What a connection usually brings at once. */
const BLOCK = 64 * 1024;

/**
 * Puts small pieces together. A client may send its body a byte at a time, and the object for each piece takes a hundred
 * bytes of memory.
 */
export class Blocks {
  /** The bytes so far. */
  get pieces(): readonly Buffer[] {
    return this.#open ? [...this.#pieces, this.#open.subarray(0, this.#filled)] : this.#pieces;
  }

  readonly #pieces: Buffer[] = [];
  /** A block that is not full. */
  #open: Buffer | undefined;
  #filled = 0;

  add(piece: Buffer): void {
    if (!this.#open && piece.length >= BLOCK) {
      this.#pieces.push(piece);
      return;
    }
    for (let at = 0; at < piece.length; ) {
      this.#open ??= Buffer.allocUnsafeSlow(BLOCK);
      const copied = piece.copy(this.#open, this.#filled, at);
      at += copied;
      this.#filled += copied;
      if (this.#filled < BLOCK) return;
      this.#pieces.push(this.#open);
      this.#open = undefined;
      this.#filled = 0;
    }
  }
}

/** Reads pieces of any size in blocks, so that what each piece costs is paid once for a block. */
export async function* inBlocks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let blocks = new Blocks();
  let size = 0;
  for await (const piece of pieces) {
    blocks.add(piece);
    size += piece.length;
    if (size < BLOCK) continue;
    yield* blocks.pieces;
    blocks = new Blocks();
    size = 0;
  }
  yield* blocks.pieces;
}
