/**
 * A table of a page. In a narrow window, each row becomes a card: its cells are below each other, and each begins with the
 * title of its column. A wide window scrolls a table that is wider.
 */
import { type Html, html, type Value } from '../pages/html.ts';

export interface Column {
  readonly title: string;
  /** The link of a title that sorts. @default the title */
  readonly link?: Html;
  /** How the rows are sorted by it. */
  readonly sorted?: 'ascending' | 'descending' | undefined;
  readonly isNumber?: boolean;
  /** A class of the cells. */
  readonly css?: string;
}

export interface DataTable {
  /** The name of the region that scrolls. */
  readonly label: string;
  readonly caption?: string | Html;
  /** A class of the table. */
  readonly css?: string;
  /** A column that is only its title may be a text. */
  readonly columns: readonly (Column | string)[];
  /** The cells of each row. */
  readonly rows: readonly (readonly Value[])[];
  /** Whether the first column names its row. @default true */
  readonly isNamed?: boolean;
  /** The cells of the last row, which sums up the others. Its first cell names it. @default none */
  readonly sums?: readonly Value[] | undefined;
}

/** Columns of numbers, which stand at the end of their cells. */
export const numbers = (...titles: readonly string[]): Column[] =>
  titles.map((title) => ({ title, isNumber: true }));

/** Browsers that show the parts of a table as blocks may forget what they are, so the roles are stated. */
export function dataTable(table: DataTable): Html {
  const { label, caption, css, rows, isNamed = true, sums } = table;
  const columns = table.columns.map((column) => (typeof column === 'string' ? { title: column } : column));
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table role="table" class="cards-if-narrow ${css ?? ''}">
${caption !== undefined && html`<caption>${caption}</caption>`}
<thead role="rowgroup"><tr role="row">${columns.map(heading)}</tr></thead>
<tbody role="rowgroup">${rows.map((cells) => row(columns, cells, isNamed))}</tbody>
${sums && html`<tfoot role="rowgroup">${row(columns, sums, true)}</tfoot>`}</table></div>`;
}

const heading = ({ title, link, sorted, isNumber }: Column): Html =>
  html`<th scope="col" role="columnheader"${isNumber && html` class="number"`}${sorted && html` aria-sort="${sorted}"`}>${link ?? title}</th>`;

const row = (columns: readonly Column[], cells: readonly Value[], isNamed: boolean): Html =>
  html`<tr role="row">${cells.map((cell, index) => {
    if (isNamed && index === 0) return html`<th scope="row" role="rowheader">${cell}</th>`;
    const { title, isNumber, css } = columns[index]!;
    const classes = [isNumber && 'number', css].filter(Boolean).join(' ');
    return html`<td role="cell"${classes !== '' && html` class="${classes}"`} data-title="${title}">${cell}</td>`;
  })}</tr>`;
