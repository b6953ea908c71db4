/** Says what becomes of the other sheets of a workbook: before its batch starts, and beside its downloads. */
import { counted } from '../../core/format.ts';
import type { Findings } from '../../lists/list-store.ts';
import { MAX_KEPT_BYTES, type WhyAlone } from '../../lists/workbook/original.ts';

const WHY: Readonly<Record<WhyAlone, string>> = {
  kind: 'because the file is not an XLSX file',
  large: `because the file is larger than ${MAX_KEPT_BYTES / 1024 / 1024} MiB, or has too many parts`,
  parts:
    'because the file has macros, embedded documents or a signature, or is a template. An address that is to be erased could not be found in it',
  sheet:
    'because this sheet has a pivot table, controls or something else that cannot stay when its rows change',
  form: 'because the file is not written as the standard of XLSX says',
  erased: 'because an address of the workbook was erased',
};

/** @returns undefined for a list that has no other sheets */
export function sayOtherSheets({ otherSheets = 0, original, alone }: Findings): string | undefined {
  if (otherSheets === 0) return undefined;
  const has = `The workbook has ${counted(otherSheets, 'other sheet')}.`;
  if (original)
    return `${has} An XLSX download of all rows has ${otherSheets === 1 ? 'it as it was' : 'them as they were'}, so the file is kept for as long as the results.`;
  return `${has} The downloads have this one only${alone === undefined ? '' : `, ${WHY[alone]}`}.`;
}

/** @returns undefined for a list that has no other sheets */
export function sayDownloadedSheets({ otherSheets = 0, original, alone }: Findings): string | undefined {
  if (otherSheets === 0) return undefined;
  if (original)
    return `As XLSX, all rows come in your workbook, with its ${counted(otherSheets, 'other sheet')}. Files of some rows have one sheet.`;
  return `The file has one sheet${alone === undefined ? '' : `, ${WHY[alone]}`}.`;
}
