/** The callback of a batch: its URL, each try, and a button to send it again. */
import { type Callback, type CallbackTry, readCallback } from '../../batch/callbacks/callback-store.ts';
import type { BatchDetails } from '../../batch/overview/batch-overview-store.ts';
import { figure } from '../../core/format.ts';
import type { Db } from '../../database/schema.ts';
import { type Html, html } from '../../pages/html.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { dataTable, numbers } from '../data-table.ts';
import { moment } from '../moment.ts';
import type { Visit } from '../visit.ts';
import { pathOf } from './batch-paths.ts';
import { PARTS_LIVE_S } from './batch-progress.ts';

/** Seconds between updates: few while a try is due or running. */
const SOON_S = 3;
const LATER_S = 60;

/** @returns undefined for a batch without a callback */
export async function callbackPart(
  { request, accountId, site }: Visit,
  db: Db,
  batch: BatchDetails,
  { now, mayChange }: { readonly now: Date; readonly mayChange: boolean },
): Promise<Html | undefined> {
  if (batch.url === null) return undefined;
  const callback = await readCallback(db, accountId, batch.id);
  const seconds = callback ? refreshAfter(callback, now) : batch.completed_at ? SOON_S : PARTS_LIVE_S;
  const isKept = batch.expires_at !== null && batch.expires_at > now;
  const canSend = mayChange && callback && isKept && callback.state !== 'being sent';
  const again =
    canSend &&
    html`<form method="post" action="${site.link(`${pathOf(batch.id)}/send-callback`)}">${formToken(request)}<button>Send again</button></form>`;
  return html`<section class="box" id="callback" aria-labelledby="callback-title"${seconds !== undefined && html` data-live="${seconds}"`}>
<div class="split"><h2 id="callback-title">Callback</h2>${again}</div>
<p>To <code>${batch.url}</code>. ${callback ? sayState(callback, now) : 'It is sent when the batch is completed.'}</p>
${callback && callback.tries.length > 0 && triesTable(callback.tries)}
</section>`;
}

function refreshAfter({ state, due_at }: Callback, now: Date): number | undefined {
  if (state === 'being sent') return SOON_S;
  if (state !== 'waiting') return undefined;
  return due_at!.getTime() - now.getTime() < LATER_S * 1000 ? SOON_S : LATER_S;
}

function sayState({ state, due_at, tries }: Callback, now: Date): Html {
  switch (state) {
    case 'waiting':
      if (due_at! <= now) return html`It is sent within seconds.`;
      return html`It has not been delivered yet. The next try is at ${moment(due_at!)}.`;
    case 'being sent':
      return html`It is being sent, and the receiver has not answered yet.`;
    case 'delivered':
      return html`<span class="done-word">It was delivered.</span>`;
    case 'given up':
      return html`<span class="problem-word">The service stopped after ${tries.length === 1 ? '1 try' : `${figure(tries.length)} tries`}.</span> Repair the receiver, then send the callback again.`;
  }
}

/** Latest first. */
function triesTable(tries: readonly CallbackTry[]): Html {
  return dataTable({
    ...{ label: 'Tries of the callback', caption: 'Each try, latest first', isNamed: false },
    columns: ['Time', ...numbers('Status'), { title: 'What happened', css: 'words' }, ...numbers('Duration')],
    rows: [...tries]
      .reverse()
      .map(({ at, status, error, duration_ms }) => [
        moment(at),
        status ?? '–',
        error ?? 'Delivered.',
        duration_ms === null ? '–' : `${figure(duration_ms)} ms`,
      ]),
  });
}
