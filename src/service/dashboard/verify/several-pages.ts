/** `/dashboard/verify/several`: verifies up to 20 pasted addresses at once, and shows their results in a table. */
import { isAddress } from '../../../engine/address/syntax.ts';
import { Failure } from '../../core/failures.ts';
import { addresses, figure } from '../../core/format.ts';
import { readServerClock } from '../../database/database-clock.ts';
import { queryParameters } from '../../http/parameters.ts';
import { type Html, html, type Value } from '../../pages/html.ts';
import { problem } from '../../pages/page-layout.ts';
import { durationInWords } from '../../pages/waiting-time.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { REASON_TITLES } from '../batches/batch-words.ts';
import { dataTable, numbers } from '../data-table.ts';
import { withMoments } from '../moment.ts';
import { moreCreditsWords } from '../more-credits-words.ts';
import { readWords } from '../read-lines.ts';
import { addAction, addPage, type DashboardDeps, type DashboardScope, type Visit } from '../visit.ts';
import { type Found, findResult, SAID_ON_THE_FORM } from './find-result.ts';
import { ask, countForm } from './verify-for-owner.ts';
import { type AskedSeveral, openSeveral, sealAsked, sealSeveral } from './verify-link.ts';

export const SEVERAL = '/dashboard/verify/several';
const RESULTS = `${SEVERAL}/results`;
/** For more, there are lists. */
const MOST = 20;
/** An address has at most 254 characters (RFC 5321, section 4.5.3.1.3), and their URL has to fit into a request. */
const MOST_CHARACTERS = 254;
/** Seconds between two checks for the results. */
const RENEW_S = 2;

interface Form extends Pick<AskedSeveral, 'mode' | 'acceptAll'> {
  /** As typed. */
  readonly text: string;
  readonly fault?: string | Html;
}

export function severalPages(scope: DashboardScope, deps: DashboardDeps): void {
  const { db, live, settings } = deps;
  const isLive = live !== undefined;
  // Without one, the message itself says whom to ask.
  const hasPlace = (settings.billingPage ?? settings.support) !== undefined;

  const sendForm = (visit: Visit, form: Form) =>
    visit.send({
      title: form.fault === undefined ? 'Verify several addresses' : 'Not verified',
      main: html`<p class="back"><a href="${visit.site.link('/dashboard/verify')}">Verify</a></p>
<h1>Verify several addresses</h1>
${severalForm(visit, form, isLive)}`,
    });

  addPage(scope, SEVERAL, { right: 'verify' }, (visit) =>
    sendForm(visit, { text: '', mode: isLive ? 'live' : 'test', acceptAll: false }),
  );

  addAction(scope, SEVERAL, { right: 'verify', back: SEVERAL }, async (visit, fields) => {
    const { request, reply, accountId } = visit;
    const text = fields.get('addresses') ?? '';
    const mode = fields.get('mode') === 'live' ? 'live' : 'test';
    const form: Form = { text, mode, acceptAll: fields.get('accept_all') === 'true' };
    const entries = entriesIn(text);
    const fault = faultOf(entries);
    if (fault !== undefined) {
      reply.code(422);
      return sendForm(visit, { ...form, fault });
    }
    const addresses = entries.map(({ entry }) => entry);
    const asked: AskedSeveral = { ...form, addresses, at: await readServerClock(db) };
    const counted = countForm(deps, accountId);
    const asks = addresses.map(async (address) => {
      await counted;
      return ask(deps, accountId, { ...asked, address });
    });
    const failed = (await Promise.allSettled(asks)).flatMap((each) =>
      each.status === 'rejected' ? [each.reason as unknown] : [],
    );
    const [first] = failed;
    if (first !== undefined) {
      if (!(first instanceof Failure && SAID_ON_THE_FORM.includes(first.code))) throw first;
      reply.code(first.status).headers(first.headers);
      return sendForm(visit, {
        ...form,
        fault: html`${withMoments(`${sayHowMany(failed.length, addresses.length)} ${first.message}`)}${hasPlace && first.code === 'creditsMissing' && html` ${moreCreditsWords(deps, accountId)}`}`,
      });
    }
    return visit.goTo(`${RESULTS}?of=${sealSeveral(request.browser.value, asked)}`);
  });

  addPage(scope, RESULTS, { right: 'verify' }, async (visit) => {
    const { request, site, accountId } = visit;
    const [sealed] = queryParameters(request).get('of') ?? [];
    const asked = openSeveral(request.browser.value, typeof sealed === 'string' ? sealed : undefined);
    if (!asked) return visit.goTo(SEVERAL);
    const found = await Promise.all(
      asked.addresses.map((address) => findResult(scope, deps, { ...asked, address }, accountId)),
    );
    const keptFor = durationInWords(settings.durations.verifyAgain);
    return visit.send({
      title: `Results of ${addresses(found.length)}`,
      main: html`<div class="split"><h1 tabindex="-1" autofocus>Results of ${addresses(found.length)}</h1>
<a class="button" href="${site.link(SEVERAL)}">Verify others</a></div>
${resultsPart(visit, asked, found)}
<p class="note">You can open these results for ${keptFor}. They are not stored. To keep results, upload a list.</p>`,
    });
  });
}

/** Each entry once, with its first line, whatever stands between them. */
function entriesIn(text: string) {
  const seen = new Set<string>();
  return readWords(text).filter(({ entry }) => {
    const key = entry.toLowerCase();
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function faultOf(entries: ReturnType<typeof entriesIn>): string | undefined {
  if (entries.length === 0) return 'Paste the addresses to verify, one on each line.';
  if (entries.length > MOST)
    return `Expected at most ${MOST} addresses, got ${figure(entries.length)}. For more, upload a list.`;
  // A result for it would cost a credit.
  const wrong = entries.filter(({ entry }) => !isAddress(entry) || entry.length > MOST_CHARACTERS);
  if (wrong.length === 0) return undefined;
  const lines = wrong.map(({ entry, line }) => `line ${line} has “${entry.slice(0, MOST_CHARACTERS)}”`);
  return `Nothing was verified, because not all are email addresses: ${lines.join(', ')}.`;
}

const sayHowMany = (failed: number, all: number): string =>
  failed === all
    ? ''
    : `${figure(failed)} of ${figure(all)} addresses were not verified. The others cost nothing when you press “Verify” again.`;

function severalForm({ request, site }: Visit, form: Form, isLive: boolean): Html {
  const { text, mode, acceptAll, fault } = form;
  const checked = html` checked`;
  const wrong = fault !== undefined && html` aria-invalid="true" autofocus`;
  return html`${problem(fault)}
<form class="box ask" method="post" action="${site.link(SEVERAL)}">
${formToken(request)}
<p class="field"><label for="addresses">Email addresses</label>
<textarea id="addresses" name="addresses" rows="8" required spellcheck="false" autocapitalize="none" autocomplete="off"${wrong} aria-describedby="${fault !== undefined && 'problem '}addresses-hint">
${text}</textarea>
<span class="note" id="addresses-hint">Up to ${MOST}, one on each line, or with commas or blanks between them.</span></p>
<fieldset><legend>How</legend>
${
  isLive
    ? html`<label class="choice"><input type="radio" name="mode" value="live"${mode === 'live' && checked}> Live: ask the mail servers. Each address costs 1 credit</label>`
    : html`<p class="note">This server has no live verification, so results are samples.</p>`
}
<label class="choice"><input type="radio" name="mode" value="test"${mode === 'test' && checked}> Test: sample results, which are free</label>
</fieldset>
<label class="choice"><input type="checkbox" name="accept_all" value="true"${acceptAll && checked}> Find out whether the mail servers accept every address, which takes longer</label>
<p><button class="primary">Verify</button></p>
</form>`;
}

const COLUMNS = [
  { title: 'Address', css: 'address' },
  'State',
  { title: 'Reason', css: 'reason' },
  ...numbers('Score'),
  { title: 'Did you mean', css: 'suggestion' },
];

function resultsPart({ request, site }: Visit, asked: AskedSeveral, found: readonly Found[]): Html {
  const isRunning = asked.mode === 'live' && found.some(({ kind }) => kind === 'running');
  /** A test address may never have a result. */
  const without = (kind: 'running' | 'gone') =>
    kind === 'gone' ? 'no longer kept' : asked.mode === 'live' ? 'still running' : 'no result';
  const rowOf = (each: Found, index: number): Value[] => {
    const address = asked.addresses[index]!;
    const sealed = sealAsked(request.browser.value, { ...asked, address });
    const link = site.link(`/dashboard/verify/result?of=${sealed}`);
    const name = html`<bdi>${address}</bdi>`;
    if (each.kind !== 'result') return [name, without(each.kind), '', '', ''];
    const { state, reason, score, did_you_mean } = each.result;
    const linked = html`<a href="${link}" data-verified="${address}" data-state="${state}">${name}</a>`;
    const badge = html`<span class="state ${state}">${state}</span>`;
    const meant = did_you_mean !== null && html`<bdi>${did_you_mean}</bdi>`;
    return [linked, badge, REASON_TITLES[reason], score, meant];
  };
  const ready = found.filter(({ kind }) => kind === 'result').length;
  return html`<section id="several" aria-label="Results"${isRunning ? html` data-live="${RENEW_S}"` : html` data-says="All results are there."`}>
<p>${isRunning ? html`${figure(ready)} of ${figure(found.length)} are there. Some mail servers answer slowly. <a href="">Look again</a>` : `${figure(ready)} of ${figure(found.length)} are there.`}</p>
${dataTable({ label: 'Table of results', caption: 'In the order in which they were pasted', columns: COLUMNS, rows: found.map(rowOf) })}</section>`;
}
