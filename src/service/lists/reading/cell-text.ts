/** The text of a workbook's cell, as a spreadsheet shows it. */
import type { CellObject } from '@e965/xlsx';
import { format } from 'numfmt';
import { DAYS_TO_1904, isDate, LONGEST_FORMAT } from './cell-number.ts';

export function shownText(cell: CellObject, is1904: boolean): string {
  const { t, v, w, z } = cell;
  // A formula without a value, or an empty cell with a style.
  if (t === 'z' || v === undefined) return '';
  if (t === 's') return String(v);
  if (t === 'b') return v ? 'TRUE' : 'FALSE';
  if (t === 'e') return w ?? ERRORS[Number(v)] ?? '#N/A';
  if (w !== undefined) return w;
  return typeof v === 'number' ? numberText(v, String(z ?? ''), is1904) : String(v);
}

/** Section 18.17.3. */
const ERRORS: Readonly<Record<number, string>> = {
  0: '#NULL!',
  7: '#DIV/0!',
  15: '#VALUE!',
  23: '#REF!',
  29: '#NAME?',
  36: '#NUM!',
  42: '#N/A',
};

/** The formats whose look depends on the computer: a date, and a date with its time (section 18.8.30). */
const OF_COMPUTER = /^m\/d\/yy(yy)?( h:mm)?$/;

function numberText(value: number, pattern: string, is1904: boolean): string {
  if (OF_COMPUTER.test(pattern)) return dateText(value + (is1904 ? DAYS_TO_1904 : 0));
  // A narrow column would show 4.91511E+12, which is no telephone number.
  if (pattern === '' || /^(general|@)$/i.test(pattern)) return plainNumber(value);
  // A part that is not shown can have any length.
  if (pattern.length > LONGEST_FORMAT) return plainNumber(value);
  try {
    return format(pattern, is1904 && isDate(pattern) ? value + DAYS_TO_1904 : value).trim();
  } catch {
    // A format that nobody can read. Spreadsheets then show the number.
    return plainNumber(value);
  }
}

/** Spreadsheets show 15 digits at most. A number is stored in binary, so 0.1 + 0.2 has more. */
const plainNumber = (value: number): string => String(Number(value.toPrecision(15)));

const MS_PER_DAY = 86_400_000;
/** The day of number 0. 1900 counts as a leap year. */
const DAY_0 = Date.UTC(1899, 11, 30);

/** In the form of ISO 8601, which no computer shows, and which every program reads. Numbers below 1 are times of day. */
function dateText(value: number): string {
  const moment = new Date(DAY_0 + Math.round(value * MS_PER_DAY));
  if (Number.isNaN(moment.getTime())) return plainNumber(value);
  const [day, time] = moment
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .split('T') as [string, string];
  if (value < 1) return time;
  return time === '00:00:00' ? day : `${day} ${time.replace(/:00$/, '')}`;
}
