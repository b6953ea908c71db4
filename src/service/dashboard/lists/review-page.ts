/** The page on which an owner reviews a list and starts its batch. */

import type { FastifyReply } from 'fastify';
import { counted, figure } from '../../core/format.ts';
import type { List } from '../../lists/list-store.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden, problem } from '../../pages/page-layout.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { moment, withMoments } from '../moment.ts';
import type { Visit } from '../visit.ts';
import { type Cost, costText } from './batch-cost.ts';
import type { Entries } from './list-entries.ts';
import type { Shown } from './look-through.ts';
import type { Choices } from './review-choices.ts';
import { columnChoice, previewTable } from './review-columns.ts';
import { signatureOf } from './review-signature.ts';

export interface ReviewPage {
  readonly list: List;
  readonly choices: Choices;
  readonly entries: Entries;
  readonly shown: Shown;
  readonly cost: Cost;
  readonly takesLive: boolean;
  readonly fault?: string | undefined;
  /** Whether the fault is of the callback URL. */
  readonly isOfUrl?: boolean | undefined;
}

/** When a choice changes, the script of the page updates the elements with `data-renew`. */
export function sendReviewPage({ request, site, send }: Visit, page: ReviewPage): Promise<FastifyReply> {
  const { list, choices, cost, fault } = page;
  const path = site.link(`/dashboard/lists/${list.id}`);
  const main = html`<h1>Check the list</h1>
<p><strong><bdi>${list.name}</bdi></strong>: ${origin(page)}. It is kept until ${moment(list.ends_at)}, unless you start it.</p>
${problem(fault === undefined ? undefined : withMoments(fault))}
<form class="stack" id="review" method="post" action="${path}">
${formToken(request)}
<div class="shown" id="shown" data-renew>${hidden([['shown', signatureOf(choices, cost)]])}</div>
<section class="box">
<h2>Columns</h2>
${columnChoice(page)}
<div id="preview" data-renew>${previewTable(page)}</div>
<p class="row"><button class="small" name="act" value="look" id="look">Update the figures</button></p>
</section>
<section class="box">
<h2>Contents</h2>
<div id="figures" data-renew>${figures(page)}</div>
</section>
<section class="box">
<h2>Batch</h2>
${options(page)}
</section>
<section class="box">
<h2>Cost</h2>
<p id="cost" role="status" data-renew>${costText(cost)}</p>
<p class="row"><button class="primary" name="act" value="start">Start</button></p>
</section>
</form>
<details class="danger"><summary>Discard…</summary>
<p>The uploaded list is deleted. It has cost no credits.</p>
<form method="post" action="${path}/discard">${formToken(request)}<button class="danger">Discard list</button></form>
</details>`;
  return send({ title: fault === undefined ? 'Check the list' : 'Not started', main });
}

function origin({ list, shown }: ReviewPage): Html {
  const { sheet, encoding } = list.findings;
  const rows = html`<span id="rows" data-renew>${counted(shown.rowCount, 'row')}</span>`;
  if (sheet !== undefined) return html`${rows} of the sheet <bdi>${sheet}</bdi>`;
  return html`${rows}, read as ${encoding}`;
}

function figures({ entries, choices, shown }: ReviewPage): Html {
  const { blank, malformed, examples, numbers } = entries;
  const { distinct } = entries.entries;
  const duplicates = numbers.length - distinct;
  const such = examples.map((text, index) => html`${index > 0 && ', '}“<code><bdi>${text}</bdi></code>”`);
  const fate = choices.leaveOut
    ? 'They stay out of the batch and cost nothing. In the download they are marked as not verified.'
    : 'They are part of the batch. Each costs a credit and gets invalid_email.';
  return html`<dl class="figures">
<dt>Rows</dt><dd>${figure(shown.rowCount)}</dd>
<dt>Addresses to verify</dt><dd>${figure(distinct)}</dd>
<dt>Duplicates</dt><dd>${figure(duplicates)}${duplicates > 0 && html` <span class="note">They cost nothing.</span>`}</dd>
<dt>Rows without an address</dt><dd>${figure(blank)}</dd>
<dt>Not an address</dt><dd>${figure(malformed)}${malformed > 0 && html` <span class="note">For example ${such}. ${fate}</span>`}</dd>
</dl>
${distinct === 0 && html`<p class="warning">This column has no addresses to verify. Choose another one.</p>`}`;
}

function options({ choices, takesLive, isOfUrl, entries }: ReviewPage): Html {
  const { leaveOut, name, mode, retries, acceptAll, url } = choices;
  const radio = (value: 'live' | 'test', label: string, hint: string, isOff = false) =>
    html`<p class="choice"><input type="radio" id="mode-${value}" name="mode" value="${value}"${mode === value && html` checked`}${isOff && html` disabled`} aria-describedby="mode-${value}-hint"><span><label for="mode-${value}">${label}</label> <span class="note" id="mode-${value}-hint">${hint}</span></span></p>`;
  const box = (field: string, label: string, hint: string, isChecked: boolean) =>
    html`<p class="choice"><input type="checkbox" id="${field}" name="${field}"${isChecked && html` checked`} aria-describedby="${field}-hint"><span><label for="${field}">${label}</label> <span class="note" id="${field}-hint" data-renew>${hint}</span></span></p>`;
  const { saved } = entries;
  const saves = mode === 'live' && saved > 0 ? `Saves ${counted(saved, 'credit')}.` : '';
  return html`<p class="field"><label for="name">Name of the batch</label>
<input id="name" name="name" value="${name}" maxlength="200" autocomplete="off"></p>
<fieldset><legend>Results</legend>
${radio('live', 'Live', takesLive ? 'Mail servers are asked.' : 'This server does not verify live batches.', !takesLive)}
${radio('test', 'Test', 'Free sample results. No mail server is asked.')}
</fieldset>
<fieldset><legend>Options</legend>
${box('leave_out', 'Leave out what is not an address', saves, leaveOut)}
${box('retries', 'Ask again when a server gives a temporary answer', 'Takes longer, and leaves fewer unknown results.', retries)}
${box('accept_all', 'Find out which domains accept every address', 'Costs one more question to the mail servers of each domain, and no credit. Addresses at such domains are then risky, because nobody can know whether they exist.', acceptAll)}
</fieldset>
<p class="field"><label for="url">Callback URL (optional)</label>
<input id="url" name="url" value="${url}" type="url" inputmode="url" autocomplete="off" spellcheck="false" aria-describedby="url-hint${isOfUrl && ' problem'}"${isOfUrl && html` aria-invalid="true"`}></p>
<p class="note" id="url-hint">Gets the results by POST when the batch is completed.</p>`;
}
