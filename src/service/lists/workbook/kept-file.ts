/** Reads the parts of a kept workbook from the database, a few pieces at a time. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import type { Db } from '../../database/schema.ts';
import { readPieceOf } from '../list-store.ts';
import { FILE_PIECE_BYTES } from '../reading/list-limits.ts';
import { nameOfPart } from './package-parts.ts';

/** The file was deleted while it was read, as its owner has erased an address. The name is for the log. */
export class FileGoneError extends Error {
  override readonly name = 'FileGoneError';
}

export interface KeptFile {
  /** In the order of the file. */
  readonly entries: readonly Entry[];
  find(name: string): Entry | undefined;
  /** What is in a part, without compression. */
  open(entry: Entry): Promise<Readable>;
  text(entry: Entry): Promise<string>;
  close(): void;
}

/** Always call `close` at the end. @param bytes the size of the file */
export async function openKeptFile(db: Db, listId: string, bytes: number): Promise<KeptFile> {
  const reader = new PieceReader((number) => readPieceOf(db, listId, number));
  const zip = await fromRandomAccessReaderPromise(reader, bytes, { lazyEntries: true, autoClose: false });
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  const byName = new Map(entries.map((entry) => [nameOfPart(entry.fileName), entry]));
  const open = (entry: Entry) => zip.openReadStreamPromise(entry);
  return {
    entries,
    find: (name) => byName.get(nameOfPart(name)),
    open,
    text: async (entry) => (await buffer(await open(entry))).toString('utf8'),
    close: () => zip.close(),
  };
}

/** The library reads a file in many small steps, mostly of one piece. */
class PieceReader extends RandomAccessReader {
  #last: { readonly number: number; readonly bytes: Buffer } | undefined;

  constructor(private readonly readPiece: (number: number) => Promise<Buffer | undefined>) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#range(start, end), { objectMode: false });
  }

  async *#range(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const number = Math.floor(at / FILE_PIECE_BYTES);
      if (this.#last?.number !== number) {
        const bytes = await this.readPiece(number);
        if (!bytes) throw new FileGoneError('Expected a piece of the file, got none.');
        this.#last = { number, bytes };
      }
      const from = at - number * FILE_PIECE_BYTES;
      const some = this.#last.bytes.subarray(from, Math.min(from + SLICE, from + end - at));
      if (some.length === 0) throw new FileGoneError('Expected more bytes of the file, got none.');
      yield some;
      at += some.length;
    }
  }
}

/** The bytes that are passed on at once, so that a client that stops reading also stops the rest. */
const SLICE = 64 * 1024;
