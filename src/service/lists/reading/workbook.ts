/** Reads an XLSX file: the first sheet that has an address. */
// read-excel-file is the most used reader that is maintained. ExcelJS had no release since 2023, and the npm package
// xlsx has known vulnerabilities.
import readWorkbook, {
  type CellValue,
  InvalidInputError,
  InvalidSpreadsheetError,
} from 'read-excel-file/node';
import { cleanName } from '../list-name.ts';
import { ListFault } from './list-fault.ts';
import { Table } from './list-table.ts';
import { repack } from './unpack-zip.ts';

export interface Sheet {
  readonly table: Table;
  /** The name of the sheet. */
  readonly sheet: string;
}

/** @throws {ListFault} if no sheet has an address */
export async function readSheet(bytes: Buffer): Promise<Sheet> {
  const parts = await repack(bytes);
  const looked: string[] = [];
  for (const { sheet, data } of await openWorkbook(parts)) {
    const table = new Table();
    for (const row of data) table.add(row.map(textOf));
    if (table.hasAddresses) return { table, sheet };
    if (table.rows.length > 0) looked.push(`“${cleanName(sheet, 'without a name')}”`);
  }
  if (looked.length === 0)
    throw new ListFault('This workbook is empty, so it was not stored. Choose another file.');
  throw new ListFault(
    `We found no email address in this file, so it was not stored. We looked through ${sheetsOf(looked)}.`,
  );
}

const MOST_NAMED = 10;

function sheetsOf(names: readonly string[]): string {
  if (names.length === 1) return `the sheet ${names[0]}`;
  const more = names.length - MOST_NAMED;
  return `the sheets ${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

async function openWorkbook(bytes: Buffer) {
  try {
    return await readWorkbook<string>(bytes, { trim: false, parseNumber: numberText });
  } catch (error) {
    const isOfFile = error instanceof InvalidInputError || error instanceof InvalidSpreadsheetError;
    throw new ListFault(
      isOfFile
        ? 'Expected an XLSX file, got a ZIP file of another kind. Save the list as XLSX or CSV, and upload that.'
        : DAMAGED,
      { cause: error },
    );
  }
}

const DAMAGED =
  'The workbook is damaged and could not be read. Open it in a spreadsheet, save it as XLSX or CSV, and upload that.';

/** Spreadsheets show 15 digits at most. A number is stored in binary, so 0.1 + 0.2 has more. */
function numberText(stored: string): string {
  const shown = Number(Number(stored).toPrecision(15));
  return Number.isFinite(shown) ? String(shown) : stored;
}

type Cell = CellValue<string> | Date | null;

function textOf(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return dateText(cell);
  if (typeof cell === 'boolean') return cell ? 'TRUE' : 'FALSE';
  return String(cell);
}

/** A spreadsheet has no time zone. The days before 1900 are times of day (ECMA-376, part 1, section 18.17.4.1). */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  const [day, time] = date
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .split('T') as [string, string];
  if (date.getUTCFullYear() < 1900) return time;
  return time === '00:00:00' ? day : `${day} ${time.replace(/:00$/, '')}`;
}
