/**
 * Unpacks a workbook within limits. A ZIP file of a few kilobytes can hold gigabytes, and the workbook library would
 * unpack them all. So it gets the unpacked parts.
 */
// yauzl enforces the size that the file's directory states for each part.
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { figure } from '../../core/format.ts';
import type { Parts } from '../workbook/original.ts';
import { nameOfPart } from '../workbook/package-parts.ts';
import { ListFault } from './list-fault.ts';
import { MAX_PARTS, MAX_UNPACKED_BYTES } from './list-limits.ts';
import { keepLongNumbers } from './long-numbers.ts';

/** The parts with texts, numbers and relations. Pictures and macros are left out. */
const WANTED = /\.(xml|rels)$/i;
const SHEET = /^\/?xl\/worksheets\/[^/]*\.xml$/i;

/** Parts that only files of one other kind have, and what to do with those. */
const OTHERS: readonly (readonly [part: RegExp, name: string])[] = [
  [/^Index\/.*\.iwa$|^Index\.zip$/, 'a Numbers document'],
  [/^xl\/workbook\.bin$/, 'a binary workbook (XLSB)'],
  [/^word\//, 'a Word document'],
  [/^ppt\//, 'a presentation'],
];

/** The parts of the file that came. */
export interface Unpacked extends Parts {
  /** Those that the library reads, by their names. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** @throws {ListFault} for a ZIP file that is damaged, encrypted, too large inside or of another kind */
export async function unpackAll(bytes: Buffer): Promise<Unpacked> {
  const zip = await open(bytes);
  const names: string[] = [];
  const files = new Map<string, Buffer>();
  const byName = new Map<string, Buffer>();
  let size = 0;
  for await (const entry of entriesOf(zip)) {
    const other = OTHERS.find(([part]) => part.test(entry.fileName));
    if (other) throw otherKind(other[1]);
    names.push(entry.fileName);
    if (!WANTED.test(entry.fileName)) continue;
    size += entry.uncompressedSize;
    if (size > MAX_UNPACKED_BYTES) throw tooLarge();
    if (files.size === MAX_PARTS) throw tooMany();
    const part = await unpack(zip, entry);
    const kept = SHEET.test(entry.fileName) ? keepLongNumbers(part) : part;
    files.set(entry.fileName, kept);
    byName.set(nameOfPart(entry.fileName), kept);
  }
  return { bytes: bytes.length, names, files, read: (name) => byName.get(nameOfPart(name)) };
}

const tooLarge = () =>
  new ListFault(
    `Expected a workbook of at most ${MAX_UNPACKED_BYTES / 1024 / 1024} MiB when it is unpacked, got a larger one. Split it, or save the list as CSV.`,
  );
const tooMany = () =>
  new ListFault(
    `Expected a workbook of at most ${figure(MAX_PARTS)} parts, such as sheets, got more. Remove the sheets that you do not need, or save the list as CSV.`,
  );
/** @param name what the file is */
export const otherKind = (name: string, cause?: unknown) =>
  new ListFault(`Expected an XLSX or ODS file, got ${name}. Save the list as XLSX or CSV, and upload that.`, {
    cause,
  });
const damaged = (cause: unknown) =>
  new ListFault('The workbook is damaged or incomplete. Save it again, and upload it again.', { cause });

function open(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true, autoClose: false }, (error, zip) =>
      error ? reject(damaged(error)) : resolve(zip),
    );
  });
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | undefined>((resolve, reject) => {
      zip.removeAllListeners();
      zip.once('entry', resolve);
      zip.once('end', () => resolve(undefined));
      zip.once('error', (error) => reject(damaged(error)));
      zip.readEntry();
    });
    if (!entry) return;
    yield entry;
  }
}

/** The whole part is allocated at once: pieces and a copy of them would take twice the memory. */
function unpack(zip: ZipFile, entry: Entry): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => reject(damaged(error));
    const part = Buffer.allocUnsafe(entry.uncompressedSize);
    let size = 0;
    // A part that is encrypted, has a rare compression or has not its stated size ends in an error.
    zip.openReadStream(entry, (error, stream) => {
      if (error) return refuse(error);
      stream.on('data', (piece: Buffer) => {
        size += piece.copy(part, size);
      });
      stream.once('error', refuse);
      stream.once('end', () => resolve(part));
    });
  });
}
