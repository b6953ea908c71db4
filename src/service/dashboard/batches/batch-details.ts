/** `/dashboard/batches/:id`: one batch, with its progress, results, callback and deletion. */
import { type BatchDetails, findDetails } from '../../batch/overview/batch-overview-store.ts';
import { totalCounts } from '../../batch/result-counts.ts';
import { addresses, figure } from '../../core/format.ts';
import type { Deps } from '../../deps/deps.ts';
import { type LeftOut, readLeftOut } from '../../lists/list-store.ts';
import { type Html, html } from '../../pages/html.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { done } from '../done.ts';
import { moment } from '../moment.ts';
import { rightToChangeBatch } from '../own-objects.ts';
import { titleOf } from '../titles.ts';
import type { DashboardDeps, Visit } from '../visit.ts';
import { BATCHES, pathOf } from './batch-paths.ts';
import {
  PARTS_LIVE_S,
  type Progress,
  type ProgressParts,
  progressPart,
  readBatchProgress,
} from './batch-progress.ts';
import { batchName, batchTitle, stateOf } from './batch-words.ts';
import { callbackPart } from './callback-section.ts';
import { sayEntries } from './left-out-entries.ts';
import { nextDownloads } from './next-downloads.ts';
import { resultsSection, titlePartsOf } from './results-section.ts';
import { STATE_PATTERNS } from './state-bar.ts';
import { worthWords } from './worth-words.ts';

export const DONE = {
  // With a test key, it is completed by then.
  begun: 'The batch was started.',
  paused: 'The batch is paused. Verifications that are already running finish, and their results are stored.',
  resumed: 'The batch was resumed.',
  renamed: 'The batch has another name now.',
  unnamed: 'The batch kept its name, because the new one was empty.',
  stopped: 'The batch was stopped. Its results so far are below.',
  completed: 'The batch could not be changed, because it was completed meanwhile.',
  sent: 'The callback is sent within seconds.',
  sending: 'The callback is already being sent.',
  expired: 'The callback was not sent, because the results have been deleted.',
};

export async function sendDetails(visit: Visit, deps: DashboardDeps, id: string) {
  const { accountId, site, send, notFound } = visit;
  const { db } = deps;
  const batch = await findDetails(db, id, accountId);
  if (!batch) return notFound('batch');
  const progress = await readBatchProgress(deps, batch);
  const { now } = progress;
  const leftOut = await readLeftOut(db, id);
  const mayChange = rightToChangeBatch(visit, batch) === undefined;
  const main = html`${STATE_PATTERNS}
<p class="back"><a href="${site.link(BATCHES)}">Batches</a></p>
<div class="heading"><h1><bdi>${batchName(batch)}</bdi></h1><p class="note">${about(batch)}</p>${sayEntries(batch, leftOut)}${mayChange && renameForm(visit, batch)}
${batch.completed_at === null && html`<p><button type="button" class="small" data-notify hidden>Notify me when it is ready</button></p>`}</div>
${done(visit, DONE)}
${progressPart(progress, partsOf(visit, progress, leftOut, mayChange), deps.settings.durations.pausedBatch)}
${await resultsSection(visit, db, progress)}
${await callbackPart(visit, db, batch, { now, mayChange })}
${mayChange && endings(visit, deps, progress)}`;
  return send({ title: titleOf(batchTitle(batch), [stateOf(progress.batch), ...titlePartsOf(visit)]), main });
}

function partsOf(
  visit: Visit,
  progress: Progress,
  leftOut: LeftOut | undefined,
  mayChange: boolean,
): ProgressParts {
  const { batch, now, verified } = progress;
  const isKept = batch.expires_at === null || batch.expires_at > now;
  return {
    actions: mayChange ? changeForm(visit, batch) : undefined,
    worth: batch.completed_at && verified > 0 ? worthWords(progress) : undefined,
    downloads:
      visit.may('download') && isKept && verified > 0
        ? nextDownloads(visit.site, progress, leftOut)
        : undefined,
  };
}

const about = ({ id, mode, distinct_total, created_at, retries }: BatchDetails): Html =>
  html`${addresses(distinct_total)} · created ${moment(created_at)} · ${mode === 'live' ? 'live' : 'test key: the results are samples'}${!retries && ' · without retries'} · <code>${id}</code>`;

function renameForm({ request, site }: Visit, { id, name }: BatchDetails): Html {
  return html`<details id="rename"><summary>Rename…</summary>
<form class="fields" method="post" action="${site.link(`${pathOf(id)}/rename`)}">${formToken(request)}
<p class="field"><label for="batch-name">Name of the batch</label><input id="batch-name" name="name" value="${name ?? ''}" maxlength="200" required autocomplete="off"></p>
<p><button>Rename</button></p></form></details>`;
}

/** The button to pause or resume. */
function changeForm({ request, site }: Visit, batch: BatchDetails): Html | undefined {
  if (batch.completed_at) return undefined;
  const [verb, path] = batch.paused_at ? ['Resume', 'resume'] : ['Pause', 'pause'];
  return html`<form method="post" action="${site.link(`${pathOf(batch.id)}/${path}`)}">${formToken(request)}<button>${verb}</button></form>`;
}

/** The ends of a batch that its owner can choose. Each states the refund before, as far as it can be known. */
function endings(
  { request, site }: Visit,
  { settings }: Pick<Deps, 'settings'>,
  { batch, tally, verified }: Progress,
): Html {
  const { id, mode, is_free, completed_at, distinct_total, total } = batch;
  const { unknown } = totalCounts(tally, 0, total);
  const open = distinct_total - verified;
  const refund = open + (settings.refundUnknown ? unknown : 0);
  const back =
    mode === 'test' || is_free || completed_at
      ? 'No credits are given back.'
      : `The remaining addresses will not be verified. ${refund === 1 ? '1 credit is' : `About ${figure(refund)} credits are`} given back: one for each address without a result${settings.refundUnknown ? ', and one for each unknown one' : ''}.`;
  const form = (path: string, button: Html) =>
    html`<form method="post" action="${site.link(`${pathOf(id)}/${path}`)}">${formToken(request)}${button}</form>`;
  const stop =
    !completed_at &&
    html`<details class="danger" id="stop"><summary>Stop here…</summary>
<p>This completes the batch with the results so far, which you can then download. It cannot be resumed. ${back}</p>
${form('stop', html`<button class="danger">Stop batch</button>`)}</details>`;
  const danger = html`<details class="danger" id="delete"><summary>Delete this batch…</summary>
<p>This deletes the addresses, their results, the counts and the callback log. It cannot be undone. ${back}</p>
${form('delete', html`<button class="danger">Delete batch</button>`)}</details>`;
  return html`<section id="deletion" aria-label="End of the batch"${!completed_at && html` data-live="${PARTS_LIVE_S}"`}>${stop}${danger}</section>`;
}
