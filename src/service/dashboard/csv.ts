/**
 * Files that a page makes while they are sent: CSV as RFC 4180 has it, in UTF-8. A page of rows is read when the one before
 * has gone on, so a file needs the same memory however long it is, and holds no connection to the database meanwhile.
 */
import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply } from 'fastify';
import { sendFile } from '../batch/download/send-file.ts';
import { createSlots, type Slots } from '../batch/download/slots.ts';
import { Failure } from '../failures.ts';
import type { DashboardScope, Visit } from './visit.ts';

type Cell = string | number | null;

export interface CsvFile {
  /** Without its extension. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The rows, a page after the other. */
  readonly pages: AsyncIterable<readonly (readonly Cell[])[]>;
}

export type SendCsv = (visit: Visit, file: CsvFile) => FastifyReply;

const MOST_AT_ONCE = 10;
const MOST_OF_ONE_ACCOUNT = 2;

/** Each section has one. */
export function createCsvSender(
  { log, downloadMs }: Pick<DashboardScope, 'log' | 'downloadMs'>,
  slots: Slots = createSlots(MOST_AT_ONCE, MOST_OF_ONE_ACCOUNT),
): SendCsv {
  return ({ request, reply, accountId }, { name, columns, pages }) => {
    const headers = {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}.csv"`,
    };
    // Fastify's own HEAD would make the file and throw it away.
    if (request.method === 'HEAD') return reply.headers(headers).send();
    const release = slots.take(accountId);
    if (!release) throw new Failure('downloadsBusy', undefined, { 'Retry-After': '5' });
    const file = Readable.from(linesOf(columns, pages), { objectMode: false });
    return sendFile(request, reply, file, { headers, longestMs: downloadMs, release, log });
  };
}

async function* linesOf(columns: readonly string[], pages: CsvFile['pages']): AsyncGenerator<Buffer> {
  yield Buffer.from(write([columns]));
  for await (const rows of pages) yield Buffer.from(write(rows));
}

/** A spreadsheet would run a cell that begins as a formula does, so such a cell begins with an apostrophe. */
const write = (rows: readonly (readonly Cell[])[]): string =>
  stringify(
    rows.map((row) => [...row]),
    { record_delimiter: 'windows', quote_record_delimiter: true, escape_formulas: true },
  );
