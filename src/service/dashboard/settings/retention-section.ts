/** Sets how long the results of batches are kept: as long as the service keeps them, or shorter. */
import { recordAuditEvent } from '../../audit/audit-store.ts';
import { previewShortening, shortenRetention } from '../../batch/batch-store.ts';
import type { Durations } from '../../config/sections/durations-section.ts';
import { counted } from '../../core/format.ts';
import type { Db } from '../../database/schema.ts';
import type { Deps } from '../../deps/deps.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden, problem } from '../../pages/page-layout.ts';
import { findAccountById, setKeepResults } from '../../people/accounts/account-store.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import type { Fields } from '../form-fields.ts';
import { actorOf, addAction, type DashboardScope, type Visit } from '../visit.ts';
import type { SendSettings } from './settings-page.ts';
import { done, faultOf, PATH, type Said } from './settings-section.ts';

const ACTION = `${PATH}/retention`;
const HOUR_S = 3_600;
/** No time has so many characters. The page shows what was typed again, and quotes it. */
const LONGEST_HOURS = 100;
const CHOICES = [
  ['1', '1 hour'],
  ['24', '1 day'],
  ['168', '7 days'],
] as const;

export function retentionSection(
  { request, site }: Visit,
  keepSeconds: number | null,
  durations: Durations,
  said: Said,
): Html {
  const fault = faultOf(said, 'retention');
  const kept = keepSeconds === null ? undefined : String(Math.round(keepSeconds / HOUR_S));
  const isListed = CHOICES.some(([hours]) => hours === kept);
  const typed = fault === undefined ? undefined : said.typed;
  const chosen = typed?.get('keep') ?? (kept === undefined ? 'service' : isListed ? kept : 'other');
  const hours = typed?.get('hours') ?? (kept !== undefined && !isListed ? kept : '');
  const choice = (value: string, label: string | Html) =>
    html`<label class="choice"><input type="radio" name="keep" value="${value}"${value === chosen && html` checked`}> ${label}</label>`;
  return html`<section class="box" aria-labelledby="retention">
<h2 id="retention">Keeping results</h2>
<p>After this time, the addresses and results of a completed batch are deleted. Its counts stay. Later tries of its callback send only the counts.</p>
${problem(fault)}
<form class="fields" id="retention-form" method="post" action="${site.link(ACTION)}">
${formToken(request)}
<fieldset><legend>Keep results for</legend>
${choice('service', `as long as the service does: ${serviceKeeps(durations)}`)}
${CHOICES.map(([value, label]) => choice(value, label))}
${choice('other', 'another time')}
</fieldset>
<p class="field short"><label for="hours">Hours</label>
<input id="hours" name="hours" value="${hours}" inputmode="numeric" autocomplete="off"${fault !== undefined && html` aria-invalid="true" autofocus`} aria-describedby="${fault === undefined ? '' : 'problem '}hours-rule"></p>
<p class="note" id="hours-rule">For “another time”: a whole number from 1 to ${mostHours(durations)}. A longer time applies to batches that are completed from now on. A shorter time applies to all batches.</p>
<p><button>Save</button></p>
</form></section>`;
}

export function retentionAction(
  scope: DashboardScope,
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  send: SendSettings,
): void {
  const { durations } = settings;
  addAction(scope, ACTION, { right: 'manageBatches', back: PATH }, async (visit, sent) => {
    const { accountId, reply } = visit;
    const fields = new Map(sent).set('hours', (sent.get('hours') ?? '').slice(0, LONGEST_HOURS));
    const refuse = (text: string) => {
      reply.code(422);
      return send(visit, { fault: { section: 'retention', text }, typed: fields });
    };
    const ignored = await ignoredHours(db, accountId, fields);
    if (ignored !== undefined)
      return refuse(
        `You typed ${ignored} as hours, but chose something else. Choose “another time”, or empty the field. The retention time was not changed.`,
      );
    const seconds = readSeconds(fields, durations);
    if (seconds === undefined)
      return refuse(
        `Expected a whole number of hours from 1 to ${mostHours(durations)}. The retention time was not changed.`,
      );
    const { ended } = seconds === null ? { ended: 0 } : await previewShortening(db, accountId, seconds);
    if (ended > 0 && fields.get('sure') !== 'yes') return sendQuestion(visit, fields, ended);
    const isChanged = await db.transaction().execute(async (transaction) => {
      if (!(await setKeepResults(transaction, accountId, seconds))) return false;
      const gone = seconds === null ? 0 : (await shortenRetention(transaction, accountId, seconds)).ended;
      await recordAuditEvent(transaction, {
        ...{ accountId, actor: actorOf(visit), action: 'settings.retention' },
        details: { hours: seconds === null ? null : seconds / HOUR_S, batches_ended: gone },
      });
      return true;
    });
    return done(visit, isChanged ? 'retention' : 'retention-as-before');
  });
}

/** The owner's setting in words. */
export const keptFor = (keepSeconds: number | null, durations: Durations): string =>
  keepSeconds === null
    ? `as long as the service does: ${serviceKeeps(durations)}`
    : `for ${inWords(keepSeconds)}`;

/**
 * Hours that the owner typed without choosing “another time”. Saved hours, which the page fills in, do not count.
 *
 * @returns undefined if there are none
 */
async function ignoredHours(db: Db, accountId: string, fields: Fields): Promise<string | undefined> {
  const hours = (fields.get('hours') ?? '').trim();
  if (fields.get('keep') === 'other' || hours === '') return undefined;
  const seconds = (await findAccountById(db, accountId))?.keep_results_seconds ?? null;
  return seconds !== null && hours === String(Math.round(seconds / HOUR_S)) ? undefined : `“${hours}”`;
}

/** @returns null for as long as the service does, undefined for unreadable input */
function readSeconds(fields: Fields, durations: Durations): number | null | undefined {
  const keep = fields.get('keep');
  if (keep === 'service') return null;
  const text = keep === 'other' ? (fields.get('hours') ?? '').trim() : (keep ?? '');
  if (!/^[1-9]\d{0,6}$/.test(text) || Number(text) > mostHours(durations)) return undefined;
  return Number(text) * HOUR_S;
}

/** At most as long as the service keeps results. */
const mostHours = ({ inlineResults, downloadFile }: Durations): number =>
  Math.max(168, Math.floor(Math.max(inlineResults, downloadFile) / HOUR_S));

function serviceKeeps({ inlineResults, downloadFile }: Durations): string {
  if (inlineResults === downloadFile) return inWords(inlineResults);
  return `${inWords(inlineResults)}, and ${inWords(downloadFile)} for batches of more than 1,000 entries`;
}

function inWords(seconds: number): string {
  if (seconds % (24 * HOUR_S) === 0) return counted(seconds / (24 * HOUR_S), 'day');
  return seconds % HOUR_S === 0 ? counted(seconds / HOUR_S, 'hour') : counted(seconds, 'second');
}

/** Asks for confirmation before results are deleted. */
function sendQuestion({ request, site, send }: Visit, fields: Fields, ended: number) {
  const batches = counted(ended, 'batch', 'batches');
  return send({
    title: 'Delete results?',
    main: html`<h1>Delete the results of ${batches} now?</h1>
<form class="box" method="post" action="${site.link(ACTION)}">
${formToken(request)}${hidden([...fields].filter(([field]) => field === 'keep' || field === 'hours'))}${hidden([['sure', 'yes']])}
<p>They are older than the time that you chose. If you save, their addresses and results are deleted for good. Their counts stay. The new time is not saved yet.</p>
<p class="row"><button class="danger">Save, and delete these results</button> <a href="${site.link(PATH)}">Cancel</a></p>
</form>`,
  });
}
