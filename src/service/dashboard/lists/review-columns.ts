/** The choice of the address column, and the preview of the first rows. */
import { counted, figure } from '../../core/format.ts';
import type { List } from '../../lists/list-store.ts';
import { hasAddress } from '../../lists/reading/address-in.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Shown } from './look-through.ts';
import type { Choices } from './review-choices.ts';

const LONGEST_CELL = 40;
const LONGEST_TITLE = 40;

interface Columns {
  readonly list: List;
  readonly choices: Choices;
  readonly shown: Shown;
}

const shorten = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;

const titleOf = (column: number, { titles }: Shown): string =>
  shorten(titles?.[column]?.trim() ?? '', LONGEST_TITLE) || `Column ${column + 1}`;

export function columnChoice({ list, choices, shown }: Columns): Html {
  const { addresses } = list.findings;
  const choice = (column: number) => {
    const id = `column-${column}`;
    // The reader may have counted the title as an address.
    const ofTitle = shown.titles && hasAddress(shown.titles[column] ?? '') ? 1 : 0;
    const count = (addresses[column] ?? 0) - ofTitle;
    return html`<p class="choice"><input type="radio" id="${id}" name="column" value="${column}"${column === choices.column && html` checked`} aria-describedby="${id}-count"><span><label for="${id}"><bdi id="${id}-title" data-renew>${titleOf(column, shown)}</bdi></label> <span class="note" id="${id}-count" data-renew>${counted(count, 'address', 'addresses')} of ${counted(shown.rowCount, 'row')}</span></span></p>`;
  };
  const all = Array.from({ length: list.columns }, (_, column) => column);
  const isLikely = (column: number) => (addresses[column] ?? 0) > 0 || column === choices.column;
  const others = all.filter((column) => !isLikely(column));
  return html`<fieldset><legend>Which column has the addresses?</legend>
${all.filter(isLikely).map(choice)}
${others.length > 0 && html`<details><summary>${counted(others.length, 'column')} without addresses</summary><div>${others.map(choice)}</div></details>`}
</fieldset>
<p class="choice"><input type="checkbox" id="header" name="header"${choices.hasHeader && html` checked`}><span><label for="header">The first row has the titles of the columns</label></span></p>`;
}

/** A wide table scrolls in its region. */
export function previewTable({ list, choices, shown }: Columns): Html {
  const columns = Array.from({ length: list.columns }, (_, column) => column);
  const mark = (column: number) => column === choices.column && html` class="chosen"`;
  return html`<div class="scroll" role="region" aria-label="First rows" tabindex="0"><table class="preview">
<caption>The first ${counted(shown.rows.length, 'row')} of ${figure(shown.rowCount)}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col"${mark(column)}><bdi>${titleOf(column, shown)}</bdi></th>`)}</tr></thead>
<tbody>${shown.rows.map(
    (row) =>
      html`<tr>${columns.map((column) => html`<td${mark(column)}><bdi>${shorten(row[column] ?? '', LONGEST_CELL)}</bdi></td>`)}</tr>`,
  )}</tbody>
</table></div>`;
}
