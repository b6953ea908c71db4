/** The forecast of a list on its review page: the offer of a sample, its progress, and what it says. */
import type { BatchDetails } from '../../batch/overview/batch-overview-store.ts';
import { totalCounts } from '../../batch/result-counts.ts';
import { counted, figure } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden } from '../../pages/page-layout.ts';
import type { Site } from '../../pages/page-urls.ts';
import { SAMPLE } from './forecast-sample.ts';
import { sayForecast } from './forecast-words.ts';

export interface ForecastPart {
  /** The batch of the sample. Undefined without one, or if its owner has deleted it. */
  readonly sample: BatchDetails | undefined;
  /** Whether the next sample costs no credits. */
  readonly isFree: boolean;
}

/** The hidden field that says that the page has promised a free sample. */
export const FREE = 'free';

const LIVE_S = 3;

/** @param distinct how many addresses the batch of the list would verify */
export function forecastSection(
  site: Site,
  { sample, isFree }: ForecastPart,
  distinct: number,
  takesLive: boolean,
): Html | undefined {
  if (sample) return sampleSection(site, sample, distinct);
  if (!takesLive || distinct <= SAMPLE) return undefined;
  return html`<section class="box" id="forecast" data-renew>
<h2>Forecast</h2>
<p class="note" id="forecast-hint">To know first what the list is worth, verify ${SAMPLE} of its addresses, drawn at random. ${isFree ? 'That is free.' : `That costs ${counted(SAMPLE, 'credit')}.`} If you start the list afterwards, they are verified and paid again with the others.</p>
${isFree && hidden([[FREE, 'yes']])}
<p class="row"><button name="act" value="forecast" aria-describedby="forecast-hint">Verify a sample</button></p>
</section>`;
}

function sampleSection(site: Site, sample: BatchDetails, distinct: number): Html {
  const { id, completed_at, verified, distinct_total, reason_counts } = sample;
  const results = site.link(`/dashboard/batches/${id}`);
  if (completed_at === null)
    return html`<section class="box" id="forecast" data-live="${LIVE_S}">
<h2>Forecast</h2>
<p>${figure(verified)} of the ${figure(distinct_total)} addresses of the sample are verified. <a href="">Look again</a></p>
<p><a class="button" href="${results}">The results of the sample</a></p>
</section>`;
  const { deliverable } = totalCounts(reason_counts ?? {}, 0, 0);
  const says =
    verified === 0
      ? 'The sample was stopped before it had a result.'
      : sayForecast(deliverable, verified, Math.max(distinct, verified));
  return html`<section class="box" id="forecast" data-renew data-says="The sample is verified.">
<h2>Forecast</h2>
<p><strong>${says}</strong></p>
<p class="note">The sample was drawn from the columns that were chosen then. <a href="${results}">The results of the sample</a>.</p>
</section>`;
}
