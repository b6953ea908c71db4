/**
 * Writes the result into the uploaded workbook: beside the rows of one sheet. The sheet is in its place, with its formulas,
 * its look and what refers to it, and all other parts are copied.
 */
import { Readable } from 'node:stream';
import type { Entry } from 'yauzl';
import { ZipFile } from 'yazl';
import type { Db } from '../../database/schema.ts';
import { attributeOf, edited, tagsOf, withAttributes } from '../../files/xml-tags.ts';
import { type KeptFile, openKeptFile } from '../../lists/workbook/kept-file.ts';
import { type Original, rowInSheet } from '../../lists/workbook/original.ts';
import type { Line } from './export-rows.ts';
import { type AddedCells, extendSheet } from './extend-sheet.ts';

export interface IntoWorkbook {
  /** The list whose file is kept. */
  readonly listId: string;
  readonly original: Original;
  /** How many of the columns are the list's own. */
  readonly columns: number;
}

/** @param lines the titles, and then all rows, a few at a time */
export async function* writeIntoWorkbook(
  db: Db,
  lines: AsyncIterable<readonly Line[]>,
  { listId, original, columns }: IntoWorkbook,
): AsyncGenerator<Uint8Array> {
  const file = await openKeptFile(db, listId, original.bytes);
  const zip = new ZipFile();
  const archive = zip.outputStream as Readable;
  const open = new Set<Readable>();
  /** The library uses pipes, which pass on neither errors nor an early end. */
  const attach = (part: Readable): Readable => {
    open.add(part);
    part.once('error', (error) => archive.destroy(error));
    part.once('close', () => open.delete(part));
    return part;
  };
  const contentOf = async (entry: Entry): Promise<Readable> => {
    const part = await file.open(entry);
    if (entry !== file.find(original.part)) return part;
    attach(part);
    return Readable.from(extendSheet(part, addedTo(lines, original, columns), original), {
      objectMode: false,
    });
  };
  zip.once('error', (error) => archive.destroy(error as Error));
  try {
    const book = await bookOf(file, original);
    for (const entry of file.entries) {
      if (entry.fileName.endsWith('/')) continue;
      const options = { mtime: entry.getLastModDate(), compress: entry.compressionMethod !== 0 };
      if (entry === book?.entry) zip.addBuffer(Buffer.from(book.text), entry.fileName, options);
      else
        zip.addReadStreamLazy(entry.fileName, options, (done) => {
          contentOf(entry).then(
            (part) => done(null, attach(part)),
            (error) => archive.destroy(error),
          );
        });
    }
    zip.end();
    yield* archive;
  } finally {
    for (const part of open) part.destroy();
    file.close();
  }
}

async function* addedTo(
  lines: AsyncIterable<readonly Line[]>,
  original: Original,
  columns: number,
): AsyncGenerator<readonly AddedCells[]> {
  for await (const some of lines)
    yield some.map(({ cells, number }) => ({
      row: rowInSheet(original, number!),
      cells: cells.slice(columns),
    }));
}

/** The part with the workbook, if the sheet is hidden: who has chosen it wants to see the result. */
async function bookOf(file: KeptFile, { book, index }: Original) {
  const entry = file.find(book)!;
  const text = await file.text(entry);
  const sheets = [...tagsOf(text)].filter(({ name, kind }) => name === 'sheet' && kind !== 'close');
  const sheet = sheets[index]!;
  if ((attributeOf(sheet, 'state') ?? 'visible') === 'visible') return undefined;
  const by = withAttributes(sheet, { state: undefined });
  return { entry, text: edited(text, [{ from: sheet.from, to: sheet.to, by }]) };
}
