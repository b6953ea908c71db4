/**
 * CSV files for people, which are written while they are sent. The next rows are read once the previous ones are
 * sent. So memory does not grow with the file, and a slow download holds no database connection.
 */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { sendFile } from '../batch/download/send-while-made.ts';
import { Failure } from '../core/failures.ts';
import { createSlots, type Slots } from '../core/slots.ts';
import type { Deps } from '../deps/deps.ts';
import { BYTE_ORDER_MARK, type Cell, csvLines } from '../files/csv-cells.ts';
import type { DashboardScope, Visit } from './visit.ts';

export interface CsvFile {
  /** Without its extension. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The rows, in pages. */
  readonly pages: AsyncIterable<readonly (readonly Cell[])[]>;
}

export type SendCsv = (visit: Visit, file: CsvFile) => FastifyReply;

const MOST_AT_ONCE = 10;
const MOST_OF_ONE_ACCOUNT = 2;

/** How many rows one query reads. */
const ROWS_AT_ONCE = 1_000;

/** Each section has one. */
export function createCsvSender(
  { log, downloadMs }: Pick<Deps, 'log'> & Pick<DashboardScope, 'downloadMs'>,
  slots: Slots = createSlots({ atOnce: MOST_AT_ONCE, ofOne: MOST_OF_ONE_ACCOUNT }),
): SendCsv {
  return ({ request, reply, accountId }, { name, columns, pages }) => {
    const disposition = `attachment; filename="${name}.csv"`;
    const headers = { 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': disposition };
    // Fastify's own HEAD would write the whole file and discard it.
    if (request.method === 'HEAD') return reply.headers(headers).send();
    const release = slots.take(accountId);
    if (!release) throw new Failure('downloadsBusy', undefined, { 'Retry-After': '5' });
    const file = Readable.from(linesOf(columns, pages), { objectMode: false });
    return sendFile(request, reply, file, { headers, longestMs: downloadMs, release, log });
  };
}

/** All rows, the latest first. @param read the rows of a page, which are older than the one with the id `before` */
export async function* inPages<Row extends { readonly id: number }>(
  read: (page: { readonly limit: number; readonly before: number | undefined }) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let before: number | undefined; ; ) {
    const rows: readonly Row[] = await read({ limit: ROWS_AT_ONCE, before });
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
    before = rows.at(-1)!.id;
  }
}

async function* linesOf(columns: readonly string[], pages: CsvFile['pages']): AsyncGenerator<Buffer> {
  yield Buffer.from(BYTE_ORDER_MARK + csvLines([columns]));
  for await (const rows of pages) yield Buffer.from(csvLines(rows));
}
