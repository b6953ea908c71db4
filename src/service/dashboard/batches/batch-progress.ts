/** The part of a batch's page that updates itself while the batch is open: its progress, and what it waits for. */
import { readProgress } from '../../batch/batch-store.ts';
import type { BatchDetails } from '../../batch/overview/batch-overview-store.ts';
import { readRecentProgress } from '../../batch/pace/pace-store.ts';
import { sayTimeLeft, timeLeft } from '../../batch/pace/time-left.ts';
import { type Tally, totalCounts } from '../../batch/result-counts.ts';
import { readWaiting, type Waiting } from '../../batch/waiting/waiting.ts';
import { addresses, figure } from '../../core/format.ts';
import { readServerClock } from '../../database/database-clock.ts';
import type { Deps } from '../../deps/deps.ts';
import { type Html, html } from '../../pages/html.ts';
import { moment } from '../moment.ts';
import { batchTitle, STATE_WORDS, sayWait, stateOf } from './batch-words.ts';
import { statesChart } from './counts-section.ts';

/** Seconds between updates. A paused batch changes only when its owner acts. */
const LIVE_S = { verifying: 3, paused: 15 } as const;

/** Seconds between updates of the other deps. */
export const PARTS_LIVE_S = 10;

/** A batch at one moment. */
export interface Progress {
  readonly batch: BatchDetails;
  readonly now: Date;
  /** The distinct addresses with a result, by reason. */
  readonly tally: Tally;
  /** Their number. */
  readonly verified: number;
  /** Seconds, if they can be estimated. */
  readonly left: number | undefined;
  /** What an open batch waits for. */
  readonly reasons: Waiting['reasons'];
}

export async function readBatchProgress(
  { db, isPortClosed }: Pick<Deps, 'db' | 'isPortClosed'>,
  batch: BatchDetails,
): Promise<Progress> {
  const now = new Date(await readServerClock(db));
  if (batch.completed_at) {
    const tally = batch.reason_counts!;
    return { batch, now, tally, verified: batch.verified, left: undefined, reasons: [] };
  }
  const { tally, duplicates } = await readProgress(db, batch.id);
  const { processed } = totalCounts(tally, duplicates, batch.total);
  const isClosed = isPortClosed();
  const { reasons, later, lastRetry } = await readWaiting(db, batch, isClosed, now);
  const isHeld = batch.paused_at !== null || (isClosed && batch.mode === 'live');
  const remaining = {
    entries: Math.max(0, batch.total - processed - later),
    retriesInS: lastRetry ? (lastRetry.getTime() - now.getTime()) / 1000 : 0,
  };
  // The pace so far does not predict the pace after such a wait.
  const isSlowedDown = reasons.some(({ kind }) => kind === 'slow down');
  const left =
    isHeld || isSlowedDown ? undefined : timeLeft(await readRecentProgress(db, batch.id), remaining);
  return { batch: { ...batch, processed }, now, tally, verified: processed - duplicates, left, reasons };
}

/** Further parts of the progress. */
export interface ProgressParts {
  /** The buttons for the batch's current state. */
  readonly actions: Html | undefined;
  /** What the list is worth, if the batch has ended. */
  readonly worth: Html | undefined;
  /** What one does next with its results. */
  readonly downloads: Html | undefined;
}

/** @param pausedBatch how long a batch may be paused, in seconds */
export function progressPart(progress: Progress, parts: ProgressParts, pausedBatch: number): Html {
  const { actions, worth, downloads } = parts;
  const { batch, tally, verified } = progress;
  const state = stateOf(batch);
  const counts = totalCounts(tally, 0, batch.total);
  return html`<section class="box progress" id="progress" aria-labelledby="progress-title"${!batch.completed_at && html` data-live="${LIVE_S[batch.paused_at ? 'paused' : 'verifying']}" data-notifies`}${batch.completed_at !== null && html` data-says="${sayEnd(batch)}"`}>
<div class="split"><h2 id="progress-title">${STATE_WORDS[state]}</h2>${actions}</div>
${batch.completed_at ? completedWords(batch) : openWords(progress, pausedBatch)}
${worth}
${verified > 0 && statesChart(counts, Math.min(batch.acceptAllResults, counts.risky), batch.distinct_total)}
${downloads}
</section>`;
}

function openWords({ batch, now, verified, left, reasons }: Progress, pausedBatch: number): Html {
  const { distinct_total } = batch;
  const said = reasons.map((wait) => html`<li>${sayWait(wait, now, pausedBatch)}</li>`);
  return html`<div class="meter"><p><strong>${figure(verified)} of ${addresses(distinct_total)}</strong> verified${left !== undefined && html`, ${sayTimeLeft(left)} left`}</p>
<progress value="${verified}" max="${distinct_total}" aria-label="Progress of ${batchTitle(batch)}"></progress></div>
${said.length > 0 && html`<ul class="waits">${said}</ul>`}`;
}

/** What a screen reader says when the batch ends on its open page. */
const sayEnd = (batch: BatchDetails): string =>
  `The batch ${batchTitle(batch)} was ${batch.stopped_after === null ? 'completed' : 'stopped'}.`;

function completedWords({ completed_at, distinct_total, stopped_after, verified }: BatchDetails): Html {
  const at = moment(completed_at!);
  if (stopped_after !== null)
    return html`<p>The batch was stopped at ${at}. ${figure(verified)} of ${addresses(distinct_total)} had a result by then.</p>`;
  return distinct_total === 1
    ? html`<p>The address was verified by ${at}.</p>`
    : html`<p>All ${addresses(distinct_total)} were verified by ${at}.</p>`;
}
