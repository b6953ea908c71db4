/** The number of a workbook's cell, and its format. cell-text.ts needs a library for the text, which the service does not load. */
import type { CellObject } from '@e965/xlsx';

/** Days from the first day of 1900 to that of 1904 (ECMA-376, part 1, section 18.17.4.1). */
export const DAYS_TO_1904 = 1_462;

/** The number in a cell, in days since 1900 if it is a date. */
export function numberOf({ t, v, z }: CellObject, is1904: boolean): number | undefined {
  if (t !== 'n' || typeof v !== 'number') return undefined;
  return is1904 && isDate(String(z ?? '')) ? v + DAYS_TO_1904 : v;
}

/** @returns an empty text for a format that no spreadsheet can have */
export function formatOf({ z }: CellObject): string {
  const pattern = String(z ?? GENERAL);
  return pattern.length <= LONGEST_FORMAT ? pattern : '';
}

/** Spreadsheets take no longer one (Microsoft's page "Excel specifications and limits"). */
export const LONGEST_FORMAT = 255;

export const GENERAL = 'General';

/** Whether a format shows days or times. */
export const isDate = (pattern: string) =>
  /[dmyhs]/i.test(pattern.replace(/"[^"]*"|\\.|\[[^\]]*\]|general/gi, ''));
