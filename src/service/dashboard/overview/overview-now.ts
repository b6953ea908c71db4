/** The part of the overview that updates itself: the alerts, today's figures, and running batches. */
import type { State } from '../../../protocol/result.ts';
import { counted, figure } from '../../core/format.ts';
import { lastWeek } from '../../credits/low/last-week.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { sumOf } from '../batches/state-bar.ts';
import { STATE_SERIES } from '../charts/bar-chart.ts';
import { nameOfBatch } from '../display-names.ts';
import { findAlerts } from './alerts.ts';
import type { Facts } from './overview-facts.ts';
import { countStates } from './results-by-day.ts';

/** In seconds. */
const WHILE_BATCHES_RUN = 5;
const OTHERWISE = 20;

export function nowPart(facts: Facts, site: Site): Html {
  const alerts = findAlerts(facts, site);
  const isRunning = facts.batches.some(({ paused_at }) => paused_at === null);
  return html`<section id="now" class="parts" data-live="${isRunning ? WHILE_BATCHES_RUN : OTHERWISE}" aria-label="At the moment">
${
  alerts.length > 0
    ? html`<div class="box"><h2>What needs attention</h2><ul class="attention">${alerts}</ul></div>`
    : !facts.isLow &&
      html`<p class="well"><span class="state deliverable">All is well.</span> <span class="note">No action is needed.</span></p>`
}
<div class="cards columns">
${creditsCard(facts, site)}
${todayCard(facts)}
${batchesCard(facts, site)}
</div>
${facts.batches.length > 0 && openBatches(facts, site)}
</section>`;
}

function creditsCard({ credits }: Facts, site: Site): Html {
  const { spent, givenBack } = lastWeek(credits);
  return html`<div class="box"><h2>Credits</h2>
<p class="figure">${figure(credits.available)}</p>
<p class="note">${figure(spent)} spent and ${figure(givenBack)} given back in 7 days. <a href="${site.link('/dashboard/usage')}">Every change</a></p></div>`;
}

function todayCard({ credits: { today }, results, testResults }: Facts): Html {
  const isToday = ({ day }: { day: string }) => day === today;
  const states = countStates(results.filter(isToday));
  const tests = sumOf(countStates(testResults.filter(isToday)));
  const there = STATE_SERIES.filter(({ name }) => states[name as State] > 0);
  return html`<div class="box"><h2>Verified today (UTC)</h2>
<p class="figure">${figure(sumOf(states))}</p>
<p class="note">${there.map(
    ({ name, label }) =>
      html`<span class="count"><span class="state ${name}">${label}</span> ${figure(states[name as State])}</span> `,
  )}
${tests > 0 && `${counted(tests, 'result')} of test keys.`}</p></div>`;
}

function batchesCard({ batches, hasBatches }: Facts, site: Site): Html {
  const open = batches[0]?.open ?? 0;
  return html`<div class="box"><h2>Open batches</h2>
<p class="figure">${figure(open)}</p>
<p class="note">${open > 0 ? 'Not completed yet.' : hasBatches ? 'Every batch is completed.' : 'You have no batches yet.'} <a href="${site.link('/dashboard/batches')}">All batches</a></p></div>`;
}

function openBatches({ batches }: Facts, site: Site): Html {
  return html`<div class="box"><h2>Progress</h2>
<ul class="running">${batches.map(({ id, name, processed, total, paused_at, mode }) => {
    const label = `Progress of ${name ?? `batch ${id}`}`;
    return html`<li><p class="split"><a href="${site.link(`/dashboard/batches/${id}`)}">${nameOfBatch(id, name)}</a>
<span class="note">${figure(processed)} of ${figure(total)}${paused_at !== null && ', paused'}${mode === 'test' && ', test key'}</span></p>
<progress value="${processed}" max="${total}" aria-label="${label}">${figure(processed)} of ${figure(total)}</progress></li>`;
  })}</ul></div>`;
}
