/** Creates a file of results for people, while it is sent. It has the columns of the uploaded list, and its form. */
import { Readable } from 'node:stream';
import type { Db } from '../../database/schema.ts';
import { isEmpty, type ResultFilter } from '../results/result-filter.ts';
import type { ColumnChoice } from './export-columns.ts';
import { type ReasonWords, readLines, readSteps } from './export-rows.ts';
import type { Exportable } from './export-store.ts';
import type { RowChoice } from './row-choice.ts';
import { writeIntoWorkbook } from './write-into-workbook.ts';
import { writeText } from './write-text.ts';
import { writeWorkbook } from './write-workbook.ts';

/** The kinds of files, by their extension. */
export const FORMATS = { csv: 'CSV', xlsx: 'XLSX' } as const;
export type Format = keyof typeof FORMATS;

export interface ExportOptions {
  readonly filter: ResultFilter;
  readonly columns: ColumnChoice;
  /** @default 'all' */
  readonly rows?: RowChoice | undefined;
  /** @default the kind of the uploaded file */
  readonly format?: Format | undefined;
  /** What stands for each reason. @default the reason itself */
  readonly reasonWords?: ReasonWords | undefined;
}

/** A workbook comes back as one. */
export const formatOf = ({ list }: Pick<Exportable, 'list'>): Format =>
  list?.findings.sheet === undefined ? 'csv' : 'xlsx';

export interface ExportFile {
  readonly stream: Readable;
  readonly contentType: string;
  /** Of the file's name. */
  readonly extension: string;
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/**
 * A file of some rows is for another program, which reads one sheet, and often for other people. The workbook has all rows,
 * and those of the other sheets.
 */
const hasAllRows = ({ filter, rows = 'all' }: ExportOptions) => rows === 'all' && isEmpty(filter);

/** Its stream fails if the results are deleted before its end, because half a file must not look complete. */
export function openExport(db: Db, batch: Exportable, options: ExportOptions): ExportFile {
  const { format = formatOf(batch), ...shared } = options;
  const { sheet, form } = batch.list?.findings ?? {};
  if (format === 'xlsx') {
    const { list } = batch;
    const rows = { ...shared, keepsValues: true };
    const original = hasAllRows(options) ? list?.findings.original : undefined;
    const bytes =
      list && original
        ? writeIntoWorkbook(db, readLines(db, batch, rows), {
            ...{ listId: list.id, original, columns: list.columns },
          })
        : writeWorkbook(readSteps(db, batch, rows), sheet);
    return { stream: Readable.from(bytes, { objectMode: false }), contentType: XLSX, extension: 'xlsx' };
  }
  const lines = writeText(readSteps(db, batch, { ...shared, keepsValues: false }), form);
  return {
    stream: Readable.from(lines, { objectMode: false }),
    contentType: `text/csv; charset=${(form?.codec ?? 'UTF-8').toLowerCase()}`,
    extension: form?.style.separator === '\t' ? 'tsv' : 'csv',
  };
}
