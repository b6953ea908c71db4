/** The choice of the sheet, of the titles and of the address column, and the preview of the first rows. */
import { counted, figure, shorten } from '../../core/format.ts';
import { columnLetters } from '../../lists/column-letters.ts';
import type { List } from '../../lists/list-store.ts';
import { hasAddress } from '../../lists/reading/address-in.ts';
import { MOST_SHEETS } from '../../lists/reading/list-limits.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Visit } from '../visit.ts';
import type { Shown } from './look-through.ts';
import { whyAlone } from './other-sheets.ts';
import { type Choices, MOST_COLUMNS } from './review-choices.ts';

const LONGEST_CELL = 40;
const LONGEST_TITLE = 40;
const LONGEST_ROW = 60;

interface Columns {
  readonly list: List;
  readonly choices: Choices;
  readonly shown: Shown;
}

const nameIn = (titles: readonly string[] | null, column: number) => titles?.[column]?.trim() ?? '';

/** Two columns of one name have their letters, too. */
function titleOf(column: number, { list, shown: { titles } }: Pick<Columns, 'list' | 'shown'>): string {
  const name = nameIn(titles, column);
  if (name === '') return `Column ${column + 1}`;
  const isTwice = Array.from({ length: list.columns }, (_, other) => other).some(
    (other) => other !== column && nameIn(titles, other).toLowerCase() === name.toLowerCase(),
  );
  const short = shorten(name, LONGEST_TITLE);
  return isTwice ? `${short} (column ${columnLetters(column)})` : short;
}

/** The sheets of a workbook as links, each to a review of its own. */
export function sheetChoice({ site }: Visit, list: List, sheets: readonly List[]): Html | undefined {
  const hidden = sheets.filter(({ findings }) => findings.isHidden).length;
  const onlyHidden =
    hidden === sheets.length &&
    html`<p class="warning">No visible sheet of the workbook has an email address. Start this batch only if you want to verify the addresses of a hidden one.</p>`;
  if (sheets.length < 2) return onlyHidden || undefined;
  const { unreadSheets = 0 } = list.findings;
  return html`<nav class="box" aria-label="Sheets">
<h2>Sheets</h2>
${onlyHidden}
<p>${unreadSheets === 0 ? `The workbook has ${counted(sheets.length, 'sheet')} with addresses.` : `These are the first ${MOST_SHEETS} sheets with addresses${sheets.length > MOST_SHEETS ? ', and the one that was in front' : ''}. ${counted(unreadSheets, 'other sheet was', 'other sheets were')} not read. To use one, save it as a file of its own.`} A batch is made of one.${hidden > 0 && ' Hidden sheets do not show in the spreadsheet.'}</p>
<ul class="plain">${sheets.map((sheet) => {
    const { addresses, isHidden, sheet: name } = sheet.findings;
    const note = html`<span class="note">${isHidden && 'hidden, '}${counted(Math.max(...addresses), 'address', 'addresses')} of ${counted(sheet.row_count, 'row')}</span>`;
    const path = site.link(`/dashboard/lists/${sheet.id}`);
    if (sheet.id === list.id)
      return html`<li><a href="${path}" aria-current="page"><strong><bdi>${name}</bdi></strong></a> ${note}</li>`;
    return html`<li><a href="${path}"><bdi>${name}</bdi></a> ${note}</li>`;
  })}</ul>
</nav>`;
}

export function columnChoice(columns: Columns): Html {
  const { list, choices, shown } = columns;
  const { addresses, hiddenColumns = [] } = list.findings;
  const choice = (column: number) => {
    const id = `column-${column}`;
    // The reader has counted the titles' addresses too.
    const ofTitle = shown.titles && hasAddress(shown.titles[column] ?? '') ? 1 : 0;
    const count = (addresses[column] ?? 0) - ofTitle;
    return html`<p class="choice"><input type="checkbox" id="${id}" name="${id}"${choices.columns.includes(column) && html` checked`} aria-describedby="${id}-count"><span><label for="${id}"><bdi id="${id}-title" data-renew>${titleOf(column, columns)}</bdi></label> <span class="note" id="${id}-count" data-renew>${counted(count, 'address', 'addresses')} of ${counted(shown.rowCount, 'row')}${hiddenColumns.includes(column) && ', hidden in the sheet'}</span></span></p>`;
  };
  const all = Array.from({ length: list.columns }, (_, column) => column);
  const isLikely = (column: number) => (addresses[column] ?? 0) > 0 || choices.columns.includes(column);
  const isHidden = (column: number) => hiddenColumns.includes(column) && !choices.columns.includes(column);
  const likely = all.filter(isLikely);
  const others = all.filter((column) => !isLikely(column));
  return html`${titlesChoice(columns)}
<fieldset><legend>Which columns have the addresses?</legend>
${likely.length > 1 && html`<p class="note">Tick each that you want to verify${likely.length > MOST_COLUMNS && `, ${MOST_COLUMNS} at most`}. An address costs once, however often it stands in them.</p>`}
${[...likely.filter((column) => !isHidden(column)), ...likely.filter(isHidden)].map(choice)}
${others.length > 0 && html`<details><summary>${counted(others.length, 'column')} without addresses</summary><div>${others.map(choice)}</div></details>`}
</fieldset>`;
}

/** The rows that may have the titles, each with what is in it. */
function titlesChoice({ list, choices, shown }: Columns): Html {
  const { numbers } = list.findings;
  // A workbook with other sheets comes back whole.
  const isAlone = !list.findings.original || whyAlone(list.findings, choices) !== undefined;
  const textOf = (row: readonly string[]) => {
    const cells = row.map((cell) => cell.trim()).filter((cell) => cell !== '');
    return shorten(cells.join(', '), LONGEST_ROW);
  };
  // A list must keep at least one row.
  const rows = shown.head.slice(0, Math.max(0, shown.rowCount + (choices.titles ?? -1)));
  return html`<p class="field"><label for="titles">Titles of the columns</label>
<select id="titles" name="titles" aria-describedby="titles-hint"><option value="">None: every row is data</option>${rows.map(
    (row, place) =>
      html`<option value="${place}"${place === choices.titles && html` selected`}>Row ${figure(numbers?.[place] ?? place + 1)}: ${textOf(row)}</option>`,
  )}</select></p>
<p class="note" id="titles-hint" data-renew>${(choices.titles ?? 0) > 0 ? `${counted(choices.titles!, 'row')} above the titles ${choices.titles === 1 ? 'is' : 'are'} left out${isAlone ? ', of the download too' : ''}.` : ''}</p>`;
}

/** A wide table scrolls in its region. */
export function previewTable(columns: Columns): Html {
  const { list, choices, shown } = columns;
  const all = Array.from({ length: list.columns }, (_, column) => column);
  const mark = (column: number) => choices.columns.includes(column) && html` class="chosen"`;
  return html`<div class="scroll" role="region" aria-label="First rows" tabindex="0"><table class="preview">
<caption>The first ${counted(shown.rows.length, 'row')} of ${figure(shown.rowCount)}</caption>
<thead><tr>${all.map((column) => html`<th scope="col"${mark(column)}><bdi>${titleOf(column, columns)}</bdi></th>`)}</tr></thead>
<tbody>${shown.rows.map(
    (row) =>
      html`<tr>${all.map((column) => html`<td${mark(column)}><bdi>${shorten(row[column] ?? '', LONGEST_CELL)}</bdi></td>`)}</tr>`,
  )}</tbody>
</table></div>`;
}
