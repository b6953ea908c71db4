/**
 * Endings of sentences in the audit log: the traits of a new app, and what was found about an address. Zeros are left
 * out.
 */
import { counted } from '../../core/format.ts';
import type { Told } from './audit-sentences.ts';

/** Older entries lack these details. */
export function sayMade({ detail }: Told): string {
  const isPublic = detail('public');
  const device = detail('device');
  if (isPublic === undefined || device === undefined) return '';
  const secret = isPublic === 'true' ? 'It keeps no client secret' : 'It keeps a client secret';
  if (device !== 'true') return `. ${secret}, and has no device flow`;
  return `. ${secret}, ${isPublic === 'true' ? 'but' : 'and'} may use the device flow`;
}

const COUNTED = [
  ['results', 'result'],
  ['list_rows', 'row'],
  ['workbooks', 'kept workbook'],
  ['responses', 'stored response'],
] as const;

/** @param became what happened to it, such as `deleted` */
export function sayFound({ number }: Told, became: string): string {
  const counts = COUNTED.map(([name, one]) => ({ count: number(name), one }));
  // Older entries have fewer counts, or none.
  if (counts.every(({ count }) => count === undefined)) return '';
  const found = counts.flatMap(({ count = 0, one }) => (count === 0 ? [] : [{ count, one }]));
  if (found.length === 0) return '. No data was found';
  const verb = found.length === 1 && found[0]!.count === 1 ? 'was' : 'were';
  return `. ${LIST.format(found.map(({ count, one }) => counted(count, one)))} ${verb} ${became}`;
}

const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' });
