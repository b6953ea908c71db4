/** Says what becomes of the other sheets of a workbook: before its batch starts, and beside its downloads. */
import { counted } from '../../core/format.ts';
import type { Findings } from '../../lists/list-store.ts';
import { MAX_KEPT_BYTES, type WhyAlone } from '../../lists/workbook/original.ts';
import type { Layout } from './look-through.ts';

const WHY: Readonly<Record<WhyAlone, string>> = {
  kind: 'because the file is not an XLSX file',
  large: `because the file is larger than ${MAX_KEPT_BYTES / 1024 / 1024} MiB, or has too many parts`,
  parts:
    'because the file is a template, or has macros, embedded documents or a signature. An address that is to be erased could not be found in these',
  form: 'because the file is not written as spreadsheets write it',
  titles: 'because the titles of the result need a row with titles',
  split: 'because cells with several addresses become rows of their own',
  erased: 'because an address of the workbook was erased',
};

/** Why the downloads have one sheet. @returns undefined if they have all */
export function whyAlone(
  { original, alone }: Findings,
  { titles, splits }: Pick<Layout, 'titles' | 'splits'>,
): WhyAlone | undefined {
  if (!original) return alone;
  if (titles === null) return 'titles';
  return splits ? 'split' : undefined;
}

/** @returns undefined for a list that has no other sheets */
export function sayOtherSheets(
  findings: Findings,
  layout: Pick<Layout, 'titles' | 'splits'>,
): string | undefined {
  const { otherSheets = 0 } = findings;
  if (otherSheets === 0) return undefined;
  const has = `The workbook has ${counted(otherSheets, 'other sheet')}.`;
  const why = whyAlone(findings, layout);
  if (why !== undefined) return `${has} The downloads have this one only, ${WHY[why]}.`;
  return `${has} An XLSX download of all rows has ${otherSheets === 1 ? 'it as it is' : 'them as they are'}, so the file is kept for as long as the results.`;
}

/** @returns undefined for a list that has no other sheets */
export function sayDownloadedSheets({ otherSheets = 0, original, alone }: Findings): string | undefined {
  if (otherSheets === 0) return undefined;
  if (original)
    return `As XLSX, all rows come in your workbook, with its ${counted(otherSheets, 'other sheet')}. Files of some rows have one sheet.`;
  return alone && `The file has one sheet, ${WHY[alone]}.`;
}
