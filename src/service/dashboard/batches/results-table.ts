/** A table of results, one row for each address. */
import type { Sort } from '../../batch/results/result-filter.ts';
import type { FoundResult } from '../../batch/results/result-store.ts';
import { figure } from '../../core/format.ts';
import { type Html, html, type Value } from '../../pages/html.ts';
import { type Column, dataTable } from '../data-table.ts';
import { REASON_TITLES } from './batch-words.ts';

interface Sortable {
  readonly title: string;
  /** The order after a click on the title. The next click reverses it. */
  readonly sorts?: readonly Sort[];
  readonly isNumber?: boolean;
  readonly css?: string;
}

const NUMBER = { sorts: ['place'], isNumber: true } as const;

const COLUMNS: readonly Sortable[] = [
  { title: 'Address', sorts: ['address'], css: 'address' },
  { title: 'State', sorts: ['state'] },
  { title: 'Reason', css: 'reason' },
  { title: 'Score', sorts: ['-score', 'score'], isNumber: true },
  { title: 'Did you mean', css: 'suggestion' },
  { title: 'Attributes' },
];

/** @param numbers the file's row of each address, by its place @param linkTo the same results in another order */
export function resultsTable(
  rows: readonly FoundResult[],
  numbers: ReadonlyMap<number, number> | undefined,
  sort: Sort,
  linkTo: (sort: Sort) => string,
): Html {
  const [numbered, title] = numbers
    ? ['with the row of your file that has it first', 'Row']
    : ['numbered in the order sent', 'No.'];
  return dataTable({
    ...{ label: 'Table of results', css: 'results', isNamed: false },
    caption: `Each distinct address once, ${numbered}`,
    columns: [{ ...NUMBER, title }, ...COLUMNS].map((column) => columnOf(column, sort, linkTo)),
    rows: rows.map((found) => row(found, numbers?.get(found.place) ?? found.place + 1)),
  });
}

function columnOf({ sorts, ...column }: Sortable, sort: Sort, linkTo: (sort: Sort) => string): Column {
  if (!sorts) return column;
  const at = sorts.indexOf(sort);
  const next = sorts[(at + 1) % sorts.length]!;
  const direction = sort.startsWith('-') ? 'descending' : 'ascending';
  const link = html`<a href="${linkTo(next)}">${column.title}</a>`;
  return { ...column, link, sorted: at >= 0 ? direction : undefined };
}

function row({ duplicates, result }: FoundResult, number: number): Value[] {
  const { email, state, reason, score, did_you_mean } = result;
  const named = html`<bdi>${email}</bdi>`;
  const badge = html`<span class="state ${state}">${state}</span>`;
  const meant = did_you_mean !== null && html`<bdi>${did_you_mean}</bdi>`;
  return [figure(number), named, badge, REASON_TITLES[reason], score, meant, attributes(result, duplicates)];
}

function attributes(result: FoundResult['result'], duplicates: number): string {
  const { disposable, free, role, accept_all, no_reply, mailbox_full } = result;
  const all: readonly (readonly [boolean | null, string])[] = [
    [disposable, 'disposable'],
    [free, 'free'],
    [role, 'role'],
    [accept_all, 'accept-all'],
    [no_reply, 'no-reply'],
    [mailbox_full, 'mailbox full'],
    [duplicates > 0, `${figure(duplicates + 1)}× in the list`],
  ];
  return all.flatMap(([holds, word]) => (holds ? [word] : [])).join(', ');
}
