/** A table of results, one row for each address. */

import type { Sort } from '../../batch/results/result-filter.ts';
import type { FoundResult } from '../../batch/results/result-store.ts';
import { figure } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';

interface Column {
  readonly title: string;
  /** The order after a click on the title. The next click reverses it. */
  readonly sorts?: readonly Sort[];
  readonly isNumber?: boolean;
}

const NUMBER = { sorts: ['place'], isNumber: true } as const;

const COLUMNS: readonly Column[] = [
  { title: 'Address', sorts: ['address'] },
  { title: 'State', sorts: ['state'] },
  { title: 'Reason' },
  { title: 'Score', sorts: ['-score', 'score'], isNumber: true },
  { title: 'Did you mean' },
  { title: 'Attributes' },
];

/**
 * @param numbers the file's row of each address, by its place
 * @param linkTo the same results in another order
 */
export function resultsTable(
  rows: readonly FoundResult[],
  numbers: ReadonlyMap<number, number> | undefined,
  sort: Sort,
  linkTo: (sort: Sort) => string,
): Html {
  const [numbered, title] = numbers
    ? ['with the row of your file that has it first', 'Row']
    : ['numbered in the order sent', 'No.'];
  return html`<div class="scroll" role="region" aria-label="Table of results" tabindex="0"><table class="results">
<caption>Each distinct address once, ${numbered}</caption>
<thead><tr>${[{ ...NUMBER, title }, ...COLUMNS].map((column) => heading(column, sort, linkTo))}</tr></thead>
<tbody>${rows.map((found) => row(found, numbers?.get(found.place) ?? found.place + 1))}</tbody></table></div>`;
}

function heading({ title, sorts, isNumber }: Column, sort: Sort, linkTo: (sort: Sort) => string): Html {
  const css = html`${isNumber && html` class="number"`}`;
  if (!sorts) return html`<th scope="col"${css}>${title}</th>`;
  const at = sorts.indexOf(sort);
  const next = sorts[(at + 1) % sorts.length]!;
  const direction = sort.startsWith('-') ? 'descending' : 'ascending';
  const link = html`<a href="${linkTo(next)}">${title}</a>`;
  return html`<th scope="col"${css}${at >= 0 && html` aria-sort="${direction}"`}>${link}</th>`;
}

function row({ duplicates, result }: FoundResult, number: number): Html {
  const { email, state, reason, score, did_you_mean } = result;
  return html`<tr><td class="number">${figure(number)}</td><td class="address"><bdi>${email}</bdi></td>
<td><span class="state ${state}">${state}</span></td><td><code>${reason}</code></td><td class="number">${score}</td>
<td class="suggestion">${did_you_mean !== null && html`<bdi>${did_you_mean}</bdi>`}</td><td>${attributes(result, duplicates)}</td></tr>`;
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
