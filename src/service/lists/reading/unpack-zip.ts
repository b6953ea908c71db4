/**
 * Unpacks a workbook within limits. A ZIP file of a few kilobytes can hold gigabytes, and the workbook library would
 * unpack them all. So it gets the parts in a new ZIP file without compression.
 */
import { buffer } from 'node:stream/consumers';
// yauzl enforces the size that the file's directory states for each part. Downloads already use yazl.
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { ZipFile as NewZip } from 'yazl';
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

export interface Repacked {
  readonly bytes: Buffer;
  /** The parts of the file that came. */
  readonly parts: Parts;
}

/** @throws {ListFault} for a ZIP file that is damaged, encrypted, too large inside or of another kind */
export async function repack(bytes: Buffer): Promise<Repacked> {
  const packed = new NewZip();
  const whole = buffer(packed.outputStream);
  const zip = await open(bytes);
  const names: string[] = [];
  let [size, parts] = [0, 0];
  for await (const entry of entriesOf(zip)) {
    const other = OTHERS.find(([part]) => part.test(entry.fileName));
    if (other) throw otherKind(other[1]);
    names.push(entry.fileName);
    if (!WANTED.test(entry.fileName)) continue;
    size += entry.uncompressedSize;
    parts += 1;
    if (size > MAX_UNPACKED_BYTES || parts > MAX_PARTS) throw tooLarge();
    const part = await unpack(zip, entry);
    const kept = SHEET.test(entry.fileName) ? keepLongNumbers(part) : part;
    packed.addBuffer(kept, entry.fileName, { compress: false });
  }
  packed.end();
  const repacked = await whole;
  const unpacked = await partsIn(repacked);
  const read = (name: string) => unpacked.get(nameOfPart(name));
  return { bytes: repacked, parts: { bytes: bytes.length, names, read } };
}

/** The parts of a file without compression, as parts of its bytes. */
async function partsIn(bytes: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await open(bytes);
  const parts = new Map<string, Buffer>();
  for await (const entry of entriesOf(zip)) {
    const { fileDataStart: from } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    parts.set(nameOfPart(entry.fileName), bytes.subarray(from, from + entry.uncompressedSize));
  }
  return parts;
}

const tooLarge = () =>
  new ListFault(
    `Expected a workbook of at most ${MAX_UNPACKED_BYTES / 1024 / 1024} MiB when it is unpacked, got a larger one. Split it, or save the list as CSV.`,
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

function unpack(zip: ZipFile, entry: Entry): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => reject(damaged(error));
    // A part that is encrypted, has a rare compression or exceeds its stated size ends in an error.
    zip.openReadStream(entry, (error, stream) => {
      if (error) refuse(error);
      else buffer(stream).then(resolve, refuse);
    });
  });
}
