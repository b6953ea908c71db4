/** Explains why a batch has fewer addresses than its list has rows, or its request had entries. */
import type { BatchDetails } from '../../batch/overview/batch-overview-store.ts';
import { addresses, counted, figure } from '../../core/format.ts';
import type { LeftOut } from '../../lists/list-store.ts';
import { type Html, html } from '../../pages/html.ts';

/** @param leftOut undefined for a batch without a list @returns undefined if each entry is an address of its own */
export function sayEntries(
  { total, distinct_total }: Pick<BatchDetails, 'total' | 'distinct_total'>,
  leftOut: LeftOut | undefined,
): Html | undefined {
  const { rows: entries = total, erased = 0, columns = null } = leftOut ?? {};
  if (columns === null && entries === distinct_total && erased === 0) return undefined;
  const duplicates = total - distinct_total;
  const said = [
    leftOut ? sayList(leftOut, total) : `${figure(entries)} entries were sent.`,
    ...(duplicates > 0
      ? [counted(duplicates, 'is a duplicate and cost nothing.', 'are duplicates and cost nothing.')]
      : []),
    ...(leftOut ? sayRowsOutside(leftOut, total) : []),
    ...(erased > 0 ? [counted(erased, 'row was erased.', 'rows were erased.')] : []),
  ];
  return html`<p class="note" id="entries">${said.join(' ')}</p>`;
}

const sayList = ({ rows, columns }: LeftOut, total: number): string =>
  columns === null
    ? `The list has ${counted(rows, 'row')}.`
    : `The list has ${counted(rows, 'row')} with ${addresses(total)}.`;

/** The rows that are not in the batch. If rows may have several addresses, only the empty ones are known. */
function sayRowsOutside({ rows, blank: known, columns }: LeftOut, total: number): string[] {
  const blank = known ?? (columns === null ? rows - total : 0);
  const others = columns === null ? rows - total - blank : 0;
  if (blank > 0 && others > 0)
    return [
      `${figure(blank + others)} rows are not in the batch: ${counted(blank, 'has no address', 'have no address')}, ${counted(others, 'was left out', 'were left out')}.`,
    ];
  if (others > 0) return [counted(others, 'row was left out.', 'rows were left out.')];
  return blank > 0 ? [counted(blank, 'row has no address.', 'rows have no address.')] : [];
}
