/** The downloads of a batch as what one does next: send to these, look at these by hand, leave these out. */
import type { Format } from '../../batch/export/export-results.ts';
import type { RowChoice } from '../../batch/export/row-choice.ts';
import { totalCounts } from '../../batch/result-counts.ts';
import type { ResultFilter } from '../../batch/results/result-filter.ts';
import { figure } from '../../core/format.ts';
import type { LeftOut } from '../../lists/list-store.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { pathOf } from './batch-paths.ts';
import type { Progress } from './batch-progress.ts';

export interface Next {
  /** What the button says. */
  readonly title: string;
  readonly filter: ResultFilter;
  readonly rows: RowChoice;
}

/** By the value of `for` in the URL, with which the name of the file ends, too. A duplicate is in none of the first three. */
export const NEXT = {
  send: { title: 'Send to these', filter: { states: ['deliverable'] }, rows: 'once' },
  'look-at': { title: 'Look at these by hand', filter: { states: ['risky', 'unknown'] }, rows: 'once' },
  'leave-out': { title: 'Leave these out', filter: { states: ['undeliverable'] }, rows: 'once' },
  duplicates: { title: 'Duplicates', filter: { states: [] }, rows: 'duplicates' },
  'no-address': { title: 'Rows not in the batch', filter: { states: [] }, rows: 'no address' },
} as const satisfies Record<string, Next>;

export type NextName = keyof typeof NEXT;

/** @returns undefined for a text that is not the name of a download */
export const readNext = (text: string | undefined): NextName | undefined =>
  text !== undefined && Object.hasOwn(NEXT, text) ? (text as NextName) : undefined;

/** @param leftOut undefined for a batch without a list, which has each address once */
export function nextDownloads(
  site: Site,
  { batch, tally, verified }: Progress,
  leftOut: LeftOut | undefined,
): Html {
  const { id, total, distinct_total, completed_at } = batch;
  const { deliverable, risky, unknown, undeliverable } = totalCounts(tally, 0, total);
  const counts: Readonly<Record<NextName, number>> = {
    send: deliverable,
    'look-at': risky + unknown,
    'leave-out': undeliverable,
    duplicates: leftOut ? total - distinct_total : 0,
    'no-address': leftOut ? rowsOutside(leftOut, total) : 0,
  };
  const href = (name: NextName) => site.link(`${pathOf(id)}/download?for=${name}&columns=short`);
  const names = (Object.keys(NEXT) as NextName[]).filter((name) => counts[name] > 0);
  const links = names.map(
    (name) =>
      html`<li><a class="${name === 'send' ? 'button primary' : 'button'}" href="${href(name)}" download>${NEXT[name].title}: ${figure(counts[name])}</a></li>`,
  );
  // Each has the format of the upload.
  const other: Format = leftOut?.isWorkbook ? 'csv' : 'xlsx';
  const inOther = names.map(
    (name, index) =>
      html`${index > 0 && ', '}<a href="${href(name)}&format=${other}" aria-label="${NEXT[name].title}, as ${other.toUpperCase()}" download>${NEXT[name].title}</a>`,
  );
  const open = distinct_total - verified;
  // "Send" might be read as what the button does.
  const hint = leftOut && counts.send > 0;
  return html`${hint && html`<p>Each download is a file with your columns. Import <em>${NEXT.send.title}</em> into your newsletter tool: this service sends no messages.</p>`}
<ul class="plain row" id="next" aria-label="Downloads">${links}</ul>
${names.length > 0 && html`<p class="note" id="next-other">As ${other.toUpperCase()} instead: ${inOther}</p>`}
${(leftOut?.columns ?? 1) > 1 && html`<p class="note">A row of your list can have several addresses. Each of these files has the addresses that it is for, and leaves the cells of the others empty. So you can import any of its columns.</p>`}
${completed_at === null && open > 0 && html`<p class="note">These are the results so far. In the download of all rows, the others say “not yet verified”.</p>`}`;
}

/** How many rows are not in the batch. */
const rowsOutside = ({ rows, erased, columns, outside }: LeftOut, total: number): number =>
  Math.max(0, columns === null ? rows - erased - total : Math.min(outside ?? 0, rows - erased));
