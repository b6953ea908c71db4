/**
 * Creates the ZIP of a batch while it is sent. The file is not stored, because the rows of the batch have the results.
 */
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Db } from '../../database/schema.ts';
import { csvLines } from '../../files/csv-cells.ts';
import { isErased } from '../erased-address.ts';
import { type BatchResult, RESULT_FIELDS } from '../result-fields.ts';
import { type Download, readPage } from './download-store.ts';
import { PAGE, ResultsDeletedError, slicesOf } from './slices.ts';

/**
 * The stream reads a page once the previous one was sent, and holds no database connection in between. It fails if the
 * results are deleted before its end, because half a file must not look complete.
 */
export function openArchive(db: Db, download: Download): Readable {
  const zip = new ZipFile();
  const archive = zip.outputStream as Readable;
  const csv = Readable.from(readCsv(db, download), { objectMode: false });
  // The library uses a pipe, which passes on neither errors nor an early end.
  csv.once('error', (error) => archive.destroy(error));
  archive.once('close', () => csv.destroy());
  zip.addReadStream(csv, `batch-${download.id}.csv`, { mtime: download.completed_at });
  zip.end();
  return archive;
}

/** Without a byte order mark, because programs read it. */
async function* readCsv(db: Db, { id, distinct_total, response_fields }: Download): AsyncGenerator<Buffer> {
  const columns = (response_fields ?? RESULT_FIELDS) as readonly (keyof BatchResult)[];
  let count = 0;
  let from = 0;
  /** Only its text outlives it, while the client reads. */
  const nextPage = async (): Promise<Buffer> => {
    const rows = await readPage(db, id, from, PAGE);
    if (rows.length === 0) throw new ResultsDeletedError();
    count += rows.length;
    from = rows.at(-1)!.place + 1;
    const results = rows.flatMap(({ result }) => (result && !isErased(result) ? [result] : []));
    return Buffer.from(csvLines(results.map((result) => columns.map((column) => result[column]))));
  };
  yield Buffer.from(csvLines([columns]));
  while (count < distinct_total) yield* slicesOf(await nextPage());
}
