/** `/dashboard/verify`: verifies one address, and explains the result. */
import { isAddress } from '../../../engine/address/syntax.ts';
import { Failure } from '../../core/failures.ts';
import { findOpenPayment } from '../../credits/billing/payment-store.ts';
import { readServerClock } from '../../database/database-clock.ts';
import { queryParameters } from '../../http/parameters.ts';
import { byItself } from '../../pages/by-itself.ts';
import { type Html, html } from '../../pages/html.ts';
import { name } from '../../pages/page-layout.ts';
import { durationInWords } from '../../pages/waiting-time.ts';
import { findAccountById } from '../../people/accounts/account-store.ts';
import { moreCreditsWords } from '../more-credits-words.ts';
import { addAction, addPage, type DashboardDeps, type DashboardScope, type Visit } from '../visit.ts';
import { findResult, SAID_ON_THE_FORM } from './find-result.ts';
import { SEVERAL, severalPages } from './several-pages.ts';
import { ask, countForm } from './verify-for-owner.ts';
import { type AskForm, askForm } from './verify-form.ts';
import { type Asked, openAsked, sealAsked } from './verify-link.ts';
import { resultSection } from './verify-result.ts';

const PATH = '/dashboard/verify';
const RESULT = `${PATH}/result`;
/**
 * An address has at most 254 characters (RFC 5321, section 4.5.3.1.3). Other input may be longer, within the limit of
 * URLs.
 */
const MOST_CHARACTERS = 1_000;
/** Seconds between two checks for the result. */
const RENEW_S = 2;

/** The URL of the result, for this browser. */
const resultOf = ({ request }: Visit, asked: Asked): string =>
  `${RESULT}?of=${sealAsked(request.browser.value, asked)}`;

export function verifyPages(scope: DashboardScope, deps: DashboardDeps): void {
  const { db, live, settings, publicUrl } = deps;
  const { refundUnknown, durations } = settings;
  const keptFor = durationInWords(durations.verifyAgain);
  const isLive = live !== undefined;

  /** @param form empty for a new form */
  const sendForm = async (visit: Visit, form: Partial<AskForm>) => {
    const account = await findAccountById(db, visit.accountId);
    const hasCredits = account !== undefined && account.available_credits > 0;
    const isPaying = !hasCredits && (await findOpenPayment(db, visit.accountId)) !== undefined;
    const moreCredits = moreCreditsWords(deps, visit.accountId);
    const fresh = {
      ...{ address: '', acceptAll: false },
      mode: isLive && hasCredits ? ('live' as const) : ('test' as const),
    };
    return visit.send({
      title: form.fault === undefined ? 'Verify an address' : 'Not verified',
      main: html`<div class="split"><h1>Verify an address</h1>
<a class="button" href="${visit.site.link(SEVERAL)}">Several addresses</a></div>
${askForm(visit.request, visit.site, { ...fresh, ...form, isLive, hasCredits, isPaying, moreCredits, refundUnknown, keptFor })}
${HISTORY}`,
    });
  };

  severalPages(scope, deps);

  addPage(scope, PATH, { right: 'verify' }, async (visit) => {
    const asked = askedIn(visit);
    return sendForm(visit, asked ?? {});
  });

  addAction(scope, PATH, { right: 'verify', back: PATH }, async (visit, fields) => {
    const { reply, accountId } = visit;
    const asked: Asked = {
      address: (fields.get('address') ?? '').trim(),
      acceptAll: fields.get('accept_all') === 'true',
      mode: fields.get('mode') === 'live' ? 'live' : 'test',
      at: await readServerClock(db),
    };
    const fault = faultOf(asked);
    if (fault !== undefined) {
      reply.code(422);
      return sendForm(visit, { ...asked, fault, isAddressWrong: true });
    }
    try {
      await countForm(deps, accountId);
      await ask(deps, accountId, asked);
    } catch (error) {
      if (!(error instanceof Failure && SAID_ON_THE_FORM.includes(error.code))) throw error;
      reply.code(error.status).headers(error.headers);
      return sendForm(visit, { ...asked, fault: error.message });
    }
    return visit.goTo(resultOf(visit, asked));
  });

  addPage(scope, RESULT, { right: 'verify' }, async (visit) => {
    const asked = askedIn(visit);
    if (!asked) return sendGone(visit, undefined);
    const found = await findResult(scope, deps, asked, visit.accountId);
    const again = linkTo(visit, asked);
    if (found.kind === 'running') return sendRunning(visit, asked);
    if (found.kind !== 'result') return sendGone(visit, { asked, again });
    const { did_you_mean } = found.result;
    const suggestionLink =
      did_you_mean === null ? undefined : linkTo(visit, { ...asked, address: did_you_mean });
    const section = resultSection({ asked, verified: found, suggestionLink, publicUrl: publicUrl.now() });
    return sendResult(visit, asked, 'Result', section);
  });

  const sendRunning = (visit: Visit, asked: Asked) => {
    if (asked.mode === 'test') return sendResult(visit, asked, 'Try again', SLOW_SAMPLE);
    const section = html`<section id="result" class="box" data-live="${RENEW_S}" aria-labelledby="headline">
<h2 id="headline" tabindex="-1" autofocus>The verification is still running</h2>
<p>Some mail servers answer slowly. This page checks for the result every ${RENEW_S} seconds, at no extra cost.</p>
<p><a class="button" href="${visit.site.link(resultOf(visit, asked))}">Check now</a></p>
</section>`;
    // With scripts, only the section is updated.
    const head = html`<noscript><meta http-equiv="refresh" content="${RENEW_S};url=${byItself(visit.request)}"></noscript>`;
    return sendResult(visit, asked, 'Verifying', section, head);
  };

  const sendGone = async (visit: Visit, was: { asked: Asked; again: string } | undefined) => {
    visit.reply.code(404);
    const isOver = !was || was.asked.at + durations.verifyAgain * 1000 <= (await readServerClock(db));
    const why = isOver
      ? `Results are kept for ${keptFor}, and only for the browser that requested them.`
      : 'The verification was interrupted. It cost no credit.';
    return visit.send({
      title: 'No result',
      main: html`<h1>${was ? html`<bdi>${was.asked.address}</bdi>` : 'No result'}</h1>
<div class="empty"><p>The result is no longer available. ${why}</p>
<p><a class="button primary" href="${was?.again ?? visit.site.link(PATH)}">Verify ${was ? 'it again' : 'an address'}</a></p></div>`,
    });
  };
}

/** The script lists what was verified in this tab. The service does not know it. */
const HISTORY = html`<section class="box" id="history" aria-labelledby="history-title" hidden><h2 id="history-title">Verified in this tab</h2>
<p class="note">Only this tab of your browser has this list, until you close it.</p></section>`;

const SLOW_SAMPLE = html`<section id="result" class="box" aria-labelledby="headline">
<h2 id="headline" tabindex="-1" autofocus>This test address never has a result</h2>
<p>Programs get the status 249 for it, which means that the verification takes longer. Use it to test your program.</p>
</section>`;

const askedIn = ({ request }: Visit): Asked | undefined => {
  const [sealed] = queryParameters(request).get('of') ?? [];
  return openAsked(request.browser.value, typeof sealed === 'string' ? sealed : undefined);
};

/** The form with an address in it. */
const linkTo = ({ request, site }: Visit, asked: Asked): string =>
  site.link(`${PATH}?of=${sealAsked(request.browser.value, asked)}`);

function sendResult(visit: Visit, asked: Asked, title: string, section: Html, head?: Html) {
  const main = html`<div class="split"><h1>${name(asked.address)}</h1>
<a class="button" href="${visit.site.link(PATH)}">Verify another address</a></div>
${section}`;
  return visit.send({ title, main, head });
}

function faultOf({ address, mode }: Asked): string | undefined {
  if (address === '') return 'Type an address to verify.';
  const { length } = [...address];
  if (length > MOST_CHARACTERS)
    return `Expected an address of at most ${MOST_CHARACTERS} characters, got ${length}. The address was not verified.`;
  // The API returns a result for this and charges a credit. On the page, the person learns it for free.
  if (mode === 'live' && !isAddress(address)) return NO_ADDRESS;
  return undefined;
}

const NO_ADDRESS = 'This is not an email address, so it was not verified. It cost no credit.';
