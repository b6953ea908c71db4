/** The charts of the overview: credits over time, and results by day and state. */
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { valueByDay } from '../charts/area-chart.ts';
import { barsByDay, STATE_SERIES } from '../charts/bar-chart.ts';
import { balanceByDay } from './credit-history.ts';
import { DAYS, type Facts } from './overview-facts.ts';
import { statesByDay } from './results-by-day.ts';

const WEEK = 7;

/** What the chart of results shows. */
export interface View {
  readonly mode: 'live' | 'test';
  readonly days: number;
}

/**
 * Fills in missing choices from the data. An account that has only results of test keys sees those.
 *
 * @param query reads the query of the URL. Unknown values count as missing.
 */
export const viewOf = (
  query: (name: string) => string | undefined,
  { results, testResults }: Pick<Facts, 'results' | 'testResults'>,
): View => ({
  mode: modeIn(query('results')) ?? (results.length === 0 && testResults.length > 0 ? 'test' : 'live'),
  days: query('days') === String(WEEK) ? WEEK : DAYS,
});

const modeIn = (text: string | undefined): View['mode'] | undefined =>
  text === 'live' || text === 'test' ? text : undefined;

/** @returns undefined if there is nothing to draw yet */
export function chartsPart(
  { credits, results, testResults }: Facts,
  view: View,
  site: Site,
): Html | undefined {
  const hasResults = results.length > 0 || testResults.length > 0;
  const hasHistory = credits.sums.length > 0;
  if (!hasResults && !hasHistory) return undefined;
  const { mode, days } = view;
  const counts = mode === 'live' ? results : testResults;
  const bars = barsByDay({
    ...{ id: 'results', series: STATE_SERIES, unit: 'result' },
    title: mode === 'live' ? 'Results' : 'Results of test keys',
    days: statesByDay(counts, credits.today, days),
  });
  const history = valueByDay({
    ...{ id: 'credits', title: 'Credits', unit: 'credit' },
    points: balanceByDay(credits, DAYS),
  });
  const switches = [
    switchOf('Keys', view, site, [
      ['Live keys', { ...view, mode: 'live' }],
      ['Test keys', { ...view, mode: 'test' }],
    ]),
    switchOf('Days', view, site, [
      [`${DAYS} days`, { ...view, days: DAYS }],
      [`${WEEK} days`, { ...view, days: WEEK }],
    ]),
  ];
  return html`<section id="charts" class="parts" data-live="60" aria-label="Charts">
${hasResults && html`<div class="box"><div class="split"><h2>Results by day</h2><div class="row">${switches}</div></div>${bars}</div>`}
${hasHistory && html`<div class="box"><h2>Credits over time</h2>${history}</div>`}
</section>`;
}

function switchOf(label: string, now: View, site: Site, choices: readonly (readonly [string, View])[]): Html {
  return html`<nav class="switch" aria-label="${label}">${choices.map(([text, { mode, days }]) => {
    const isNow = mode === now.mode && days === now.days;
    const path = `/dashboard/?results=${mode}&days=${String(days)}#charts`;
    return html`<a href="${site.link(path)}"${isNow && html` aria-current="true"`}>${text}</a>`;
  })}</nav>`;
}
