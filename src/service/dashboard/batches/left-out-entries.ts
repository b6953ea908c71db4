/** Explains why a batch has fewer addresses than its list has rows, or its request had entries. */

import type { BatchDetails } from '../../batch/overview/batch-overview-store.ts';
import { counted, figure } from '../../core/format.ts';
import type { LeftOut } from '../../lists/list-store.ts';
import { type Html, html } from '../../pages/html.ts';

/**
 * @param leftOut undefined for a batch without a list
 * @returns undefined if each entry is an address of its own
 */
export function sayEntries(
  { total, distinct_total }: Pick<BatchDetails, 'total' | 'distinct_total'>,
  leftOut: LeftOut | undefined,
): Html | undefined {
  const { rows: entries = total, erased = 0 } = leftOut ?? {};
  const blank = leftOut?.blank ?? entries - total;
  const malformed = entries - total - blank;
  if (entries === distinct_total && erased === 0) return undefined;
  const duplicates = total - distinct_total;
  const said = [
    leftOut ? `The list has ${counted(entries, 'row', 'rows')}.` : `${figure(entries)} entries were sent.`,
    ...(duplicates > 0
      ? [counted(duplicates, 'is a duplicate and cost nothing.', 'are duplicates and cost nothing.')]
      : []),
    ...(malformed > 0
      ? [counted(malformed, 'row was left out: not an address.', 'rows were left out: not addresses.')]
      : []),
    ...(blank > 0 ? [counted(blank, 'row has no address.', 'rows have no address.')] : []),
    ...(erased > 0 ? [counted(erased, 'row was erased.', 'rows were erased.')] : []),
  ];
  return html`<p class="note" id="entries">${said.join(' ')}</p>`;
}
