/** The entries of a new batch. They can be more than the memory of the process should hold. */
import type { FileHandle } from 'node:fs/promises';
import { openNameless } from '../../core/nameless-file.ts';
import { CountedTexts } from './counted-texts.ts';

/** An address of a batch. */
export interface BatchEntry {
  /** Its first spelling, without the white space around it. It may be malformed. A long one is cut. */
  readonly address: string;
  /** How many other entries are equal to it. */
  readonly duplicates: number;
}

/** Each distinct address once, in the order sent. */
export interface BatchEntries {
  readonly distinct: number;
  /** All entries, some at a time. */
  parts(): AsyncIterable<readonly BatchEntry[]>;
}

/** How many entries a part has. A statement inserts one. To write it takes about 5 ms, while requests wait. */
export const PART = 5_000;
/** How many bytes stay in memory. A list that is not larger needs no file. */
const MOST_IN_MEMORY = 16 * 1024 * 1024;

/** Where a part is in the file. */
type Place = { readonly at: number; readonly length: number };

export class CollectedEntries implements BatchEntries {
  readonly #names = new CountedTexts();
  /** Each as JSON. */
  readonly #parts: (Buffer | Place)[] = [];
  /** The addresses after the last part. */
  #open: string[] = [];
  #inMemory = 0;
  #file: FileHandle | undefined;
  #fileSize = 0;

  get distinct(): number {
    return this.#names.size;
  }

  /** @param name the same for all equal entries @param address as it is stored @returns its place */
  add(name: string, address: string): number {
    const before = this.#names.size;
    const place = this.#names.add(name);
    if (place < before) return place;
    this.#open.push(address);
    if (this.#open.length === PART) {
      const part = Buffer.from(JSON.stringify(this.#open));
      this.#inMemory += part.length;
      this.#parts.push(part);
      this.#open = [];
    }
    return place;
  }

  /** Writes what is too much for the memory to a file. Call it now and then. */
  async save(): Promise<void> {
    if (this.#inMemory <= MOST_IN_MEMORY) return;
    this.#file ??= await openNameless();
    for (const [index, part] of this.#parts.entries()) {
      if (!Buffer.isBuffer(part)) continue;
      await writeAll(this.#file, part, this.#fileSize);
      this.#parts[index] = { at: this.#fileSize, length: part.length };
      this.#fileSize += part.length;
    }
    this.#inMemory = 0;
  }

  async *parts(): AsyncGenerator<readonly BatchEntry[]> {
    let first = 0;
    const withCounts = (addresses: readonly string[]): BatchEntry[] =>
      addresses.map((address, index) => ({ address, duplicates: this.#names.countOf(first + index) - 1 }));
    for (const part of this.#parts) {
      const json = Buffer.isBuffer(part) ? part : await this.#read(part);
      yield withCounts(JSON.parse(json.toString()));
      first += PART;
    }
    if (this.#open.length > 0) yield withCounts(this.#open);
  }

  /** Deletes the file. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #read({ at, length }: Place): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    for (let read = 0; read < length; ) {
      const { bytesRead } = await this.#file!.read(bytes, read, length - read, at + read);
      if (bytesRead === 0) throw new Error('the file became shorter');
      read += bytesRead;
    }
    return bytes;
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, at + written);
    written += bytesWritten;
  }
}

/** Entries that are in memory. */
export const entriesOf = (entries: readonly BatchEntry[]): BatchEntries => ({
  distinct: entries.length,
  async *parts() {
    for (let first = 0; first < entries.length; first += PART) yield entries.slice(first, first + PART);
  },
});

/** All of them at once. For few. */
export async function allOf(entries: BatchEntries): Promise<BatchEntry[]> {
  const all: BatchEntry[] = [];
  for await (const part of entries.parts()) all.push(...part);
  return all;
}
