/** The page on which an owner reviews a list and starts its batch. */
import type { FastifyReply } from 'fastify';
import { counted, figure } from '../../core/format.ts';
import type { List } from '../../lists/list-store.ts';
import type { WhyNot } from '../../lists/reading/why-not-address.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden, problem } from '../../pages/page-layout.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { REASON_TITLES } from '../batches/batch-words.ts';
import { moment, withMoments } from '../moment.ts';
import type { Visit } from '../visit.ts';
import { type Cost, costText, NO_ADDRESSES } from './batch-cost.ts';
import { encodingChoice } from './choose-encoding.ts';
import { type ForecastPart, forecastSection } from './forecast-section.ts';
import type { Entries, Reason } from './list-entries.ts';
import type { Shown } from './look-through.ts';
import { sayOtherSheets } from './other-sheets.ts';
import type { Choices } from './review-choices.ts';
import { columnChoice, previewTable, sheetChoice } from './review-columns.ts';
import { signatureOf } from './review-signature.ts';

export interface ReviewPage {
  readonly list: List;
  /** The sheets of its workbook. */
  readonly sheets: readonly List[];
  readonly choices: Choices;
  readonly entries: Entries;
  readonly shown: Shown;
  readonly cost: Cost;
  readonly takesLive: boolean;
  readonly forecast: ForecastPart;
  readonly fault?: string | Html | undefined;
  /** What the action did that led to the page. */
  readonly said?: Html | undefined;
  /** Whether the fault is of the callback URL. */
  readonly isOfUrl?: boolean | undefined;
}

/** When a choice changes, the script of the page updates the elements with `data-renew`. */
export function sendReviewPage(visit: Visit, page: ReviewPage): Promise<FastifyReply> {
  const { request, site, send } = visit;
  const { list, choices, cost, fault, said } = page;
  const path = site.link(`/dashboard/lists/${list.id}`);
  const otherSheets = sayOtherSheets(list.findings, choices);
  const main = html`<h1>Check the list</h1>
<p><strong><bdi>${list.name}</bdi></strong>: ${origin(page)}. It is kept until ${moment(list.ends_at)}, unless you start it.</p>
${said}
${problem(typeof fault === 'string' ? withMoments(fault) : fault)}
${sheetChoice(visit, list, page.sheets)}
${otherSheets !== undefined && html`<p class="note" id="other-sheets" data-renew>${otherSheets}</p>`}
${encodingChoice(visit, list)}
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
${forecastSection(site, page.forecast, page.entries.entries.distinct, page.takesLive)}
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
  if (sheet !== undefined)
    return html`${rows} of the ${list.findings.isHidden && 'hidden '}sheet <strong><bdi>${sheet}</bdi></strong>`;
  return html`${rows}, read as ${encoding}`;
}

/** Of what is not an address. */
const RESULT = `“${REASON_TITLES.invalid_email}”`;

function figures({ list, entries, choices, shown }: ReviewPage): Html {
  const { blank, hidden, malformed, reasons, total } = entries;
  const { distinct } = entries.entries;
  const { uncalculated = 0 } = list.findings;
  const duplicates = total - distinct;
  const [one, many] = choices.leaveOut
    ? [
        'It stays out of the batch and costs nothing. The download says why, and marks it as not verified.',
        'They stay out of the batch and cost nothing. The download says why, and marks them as not verified.',
      ]
    : choices.mode === 'live'
      ? [
          `It is part of the batch, costs a credit and gets the result ${RESULT}.`,
          `They are part of the batch. Each costs a credit and gets the result ${RESULT}.`,
        ]
      : [
          `It is part of the batch and gets the result ${RESULT}.`,
          `They are part of the batch and get the result ${RESULT}.`,
        ];
  return html`<dl class="figures">
<dt>Rows</dt><dd>${figure(shown.rowCount)}</dd>
<dt>Addresses to verify</dt><dd>${figure(distinct)}</dd>
<dt>Duplicates</dt><dd>${figure(duplicates)}${duplicates > 0 && html` <span class="note">${duplicates === 1 ? 'It costs' : 'They cost'} nothing.</span>`}</dd>
<dt>Rows without an address</dt><dd>${figure(blank)}</dd>
${hidden > 0 && html`<dt>Hidden rows</dt><dd>${figure(hidden)} <span class="note">The sheet hides them, as a filter does. ${choices.leaveOutHidden ? 'They stay out of the batch.' : 'They are part of the batch.'}</span></dd>`}
<dt>Not an address</dt><dd>${figure(malformed)}${malformed > 0 && html` <span class="note">${malformed === 1 ? one : many}</span>${reasonList(reasons)}`}</dd>
</dl>
${uncalculated > 0 && html`<p class="warning">${counted(uncalculated, 'cell of the workbook has a formula', 'cells of the workbook have formulas')} without a value, because no spreadsheet has calculated the file. To have them, open it in a spreadsheet, save it, and upload it again.</p>`}
${distinct === 0 && html`<p class="warning">${NO_ADDRESSES}</p>`}`;
}

const SEVERAL: WhyNot = 'has several addresses';

/** Why cells are not addresses, each with an example. */
const reasonList = (reasons: readonly Reason[]): Html =>
  html`<ul class="note">${reasons.map(
    ({ why, count, example }) =>
      html`<li>“<code><bdi>${example}</bdi></code>” ${why}${count > 1 && html`, and ${figure(count - 1)} more`}.${why === SEVERAL && ' You can split such cells under Options.'}</li>`,
  )}</ul>`;

function options({ list, choices, takesLive, isOfUrl, entries }: ReviewPage): Html {
  const { splits, leaveOut, leaveOutHidden, name, mode, retries, acceptAll, url } = choices;
  const radio = (value: 'live' | 'test', label: string, hint: string, isOff = false) =>
    html`<p class="choice"><input type="radio" id="mode-${value}" name="mode" value="${value}"${mode === value && html` checked`}${isOff && html` disabled`} aria-describedby="mode-${value}-hint"><span><label for="mode-${value}">${label}</label> <span class="note" id="mode-${value}-hint">${hint}</span></span></p>`;
  const box = (field: string, label: string, hint: string, isChecked: boolean) =>
    html`<p class="choice"><input type="checkbox" id="${field}" name="${field}"${isChecked && html` checked`} aria-describedby="${field}-hint"><span><label for="${field}">${label}</label> <span class="note" id="${field}-hint" data-renew>${hint}</span></span></p>`;
  const { saved, joined } = entries;
  const saves = mode === 'live' && saved > 0 ? `Saves ${counted(saved, 'credit')}.` : '';
  return html`<p class="field"><label for="name">Name of the batch</label>
<input id="name" name="name" value="${name}" maxlength="200" autocomplete="off"></p>
<fieldset><legend>Results</legend>
${radio('live', 'Live', takesLive ? 'Mail servers are asked.' : 'This server does not verify live batches.', !takesLive)}
${radio('test', 'Test', 'Free sample results. No mail server is asked.')}
</fieldset>
<fieldset><legend>Options</legend>
${(list.findings.joined ?? 0) > 0 && box('split', 'Split cells with several addresses', `${counted(joined, 'cell has', 'cells have')} several. The download has a row for each address.`, splits)}
${box('leave_out', 'Leave out what is not an address', saves, leaveOut)}
${(list.findings.hiddenRows ?? 0) > 0 && box('leave_out_hidden', 'Leave out hidden rows', 'The download has them, marked as not verified.', leaveOutHidden)}
${box('retries', 'Ask again when a server gives a temporary answer', 'Takes longer, and leaves fewer unknown results.', retries)}
${box('accept_all', 'Find out which domains accept every address', 'Costs one more question to the mail servers of each domain, and no credit. Addresses at such domains are then risky, because nobody can know whether they exist.', acceptAll)}
</fieldset>
<p class="field"><label for="url">Callback URL (optional)</label>
<input id="url" name="url" value="${url}" type="url" inputmode="url" autocomplete="off" spellcheck="false" aria-describedby="url-hint${isOfUrl && ' problem'}"${isOfUrl && html` aria-invalid="true"`}></p>
<p class="note" id="url-hint">Gets the results by POST when the batch is completed.</p>`;
}
