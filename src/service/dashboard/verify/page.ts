/** `/dashboard/verify`: one address, and why its result is what it is. */
import type { FastifyReply } from 'fastify';
import { isAddress } from '../../../engine/address/syntax.ts';
import { findAccountById } from '../../accounts/store.ts';
import { Failure } from '../../failures.ts';
import { queryParameters } from '../../http/parameters.ts';
import { durationInWords } from '../../pages/duration.ts';
import { type Html, html } from '../../pages/html.ts';
import { name } from '../../pages/layout.ts';
import type { DashboardParts } from '../parts.ts';
import { addAction, addPage, type DashboardScope, type Visit } from '../visit.ts';
import { ask, questionOf } from './ask.ts';
import { type AskForm, askForm } from './form.ts';
import { type Asked, openAsked, sealAsked } from './link.ts';
import { resultSection } from './result.ts';

const PATH = '/dashboard/verify';
const RESULT = `${PATH}/result`;
/** An address has 254 characters at most (RFC 5321, section 4.5.3.1.3). Nonsense may be longer, and URLs may not. */
const MOST_CHARACTERS = 1_000;
/** How often a page looks whether the verification is over. */
const RENEW_S = 2;
/** What can go wrong with a form that is right. */
const SAID_ON_THE_FORM = ['tooManyRequests', 'creditsMissing', 'liveBusy', 'liveUnavailable', 'portClosed'];

export function verifyPages(scope: DashboardScope, parts: DashboardParts): void {
  const { db, live, refundUnknown, durations, publicUrl } = parts;
  const keptFor = durationInWords(durations.verifyAgain);
  const isLive = live !== undefined;

  /** @param form without what was asked, it is a new one */
  const sendForm = async (visit: Visit, form: Partial<AskForm>) => {
    const account = await findAccountById(db, visit.accountId);
    const hasCredits = account !== undefined && account.available_credits > 0;
    const fresh = {
      ...{ address: '', acceptAll: false },
      mode: isLive && hasCredits ? ('live' as const) : ('test' as const),
    };
    return visit.send({
      title: form.fault === undefined ? 'Verify an address' : 'Not verified',
      main: html`<h1>Verify an address</h1>
${askForm(visit.request, visit.site, { ...fresh, ...form, isLive, hasCredits, refundUnknown, keptFor })}`,
    });
  };

  addPage(scope, PATH, async (visit) => {
    const asked = askedIn(visit);
    return sendForm(visit, asked ?? {});
  });

  addAction(scope, PATH, PATH, async (visit, fields) => {
    const { request, reply, accountId } = visit;
    const asked: Asked = {
      address: (fields.get('address') ?? '').trim(),
      acceptAll: fields.get('accept_all') === 'true',
      mode: fields.get('mode') === 'live' ? 'live' : 'test',
      at: Date.now(),
    };
    const fault = faultOf(asked);
    if (fault !== undefined) {
      reply.code(422);
      return sendForm(visit, { ...asked, fault, isAddressWrong: true });
    }
    try {
      await ask(parts, scope.verify, accountId, asked);
    } catch (error) {
      if (!(error instanceof Failure && SAID_ON_THE_FORM.includes(error.code))) throw error;
      reply.code(error.status).headers(error.headers);
      return sendForm(visit, { ...asked, fault: error.message });
    }
    return visit.goTo(`${RESULT}?of=${sealAsked(request.browser.value, asked)}`);
  });

  addPage(scope, RESULT, async (visit) => {
    const asked = askedIn(visit);
    if (!asked) return sendGone(visit, undefined);
    const found = await find(asked, visit.accountId);
    const again = linkTo(visit, asked);
    if (found.kind === 'running') return sendRunning(visit, asked);
    if (found.kind !== 'result') return sendGone(visit, { asked, again });
    const { did_you_mean } = found.result;
    const suggestionLink =
      did_you_mean === null ? undefined : linkTo(visit, { ...asked, address: did_you_mean });
    const section = resultSection({ asked, verified: found, suggestionLink, publicUrl: publicUrl.now() });
    return sendResult(visit, asked, 'Result', section);
  });

  /** Asks nobody, so a reload costs nothing. */
  async function find(asked: Asked, accountId: string) {
    if (asked.mode === 'live') return (await live?.recall(questionOf(accountId, asked))) ?? GONE;
    const { address, acceptAll } = asked;
    const sample = await scope.verify.sampleVerifier({ address, acceptAll, smtp: true, timeoutMs: 0 });
    return sample.result ? { kind: 'result' as const, ...sample } : SLOW;
  }

  const sendRunning = (visit: Visit, asked: Asked) => {
    if (asked.mode === 'test') return sendResult(visit, asked, 'Try again', SLOW_SAMPLE);
    const section = html`<section id="result" class="box" data-live="${RENEW_S}" aria-labelledby="headline">
<h2 id="headline"><span role="status">The verification goes on</span></h2>
<p>Some mail servers take their time. This page looks for the result every ${RENEW_S} seconds. It costs nothing again.</p>
<p><a href="">Look now</a></p>
</section>`;
    // With scripts, only the section is renewed.
    const head = html`<noscript><meta http-equiv="refresh" content="${RENEW_S}"></noscript>`;
    return sendResult(visit, asked, 'Verifying', section, head);
  };

  const sendGone = (visit: Visit, was: { asked: Asked; again: string } | undefined) => {
    visit.reply.code(404);
    const isOver = !was || was.asked.at + durations.verifyAgain * 1000 <= Date.now();
    const why = isOver
      ? `Results are kept for ${keptFor}, and for the browser that has asked for them only.`
      : 'The verification was interrupted, and cost nothing.';
    return visit.send({
      title: 'No result',
      main: html`<h1>${was ? html`<bdi>${was.asked.address}</bdi>` : 'No result'}</h1>
<div class="empty"><p>There is no result any more. ${why}</p>
<p><a class="button primary" href="${was?.again ?? visit.site.link(PATH)}">Verify ${was ? 'it again' : 'an address'}</a></p></div>`,
    });
  };
}

const GONE = { kind: 'gone' } as const;
const SLOW = { kind: 'running' } as const;

const SLOW_SAMPLE = html`<section id="result" class="box" aria-labelledby="headline">
<h2 id="headline"><span role="status">This test address never has a result</span></h2>
<p>Programs get the status 249 for it, which says that the verification takes longer. Use it to test yours.</p>
</section>`;

const askedIn = ({ request }: Visit): Asked | undefined => {
  const [sealed] = queryParameters(request).get('of') ?? [];
  return openAsked(request.browser.value, typeof sealed === 'string' ? sealed : undefined);
};

/** The form with an address in it. */
const linkTo = ({ request, site }: Visit, asked: Asked): string =>
  site.link(`${PATH}?of=${sealAsked(request.browser.value, asked)}`);

function sendResult(visit: Visit, asked: Asked, title: string, section: Html, head?: Html): FastifyReply {
  const main = html`<div class="title"><h1>${name(asked.address)}</h1>
<a class="button" href="${visit.site.link(PATH)}">Verify another address</a></div>
${section}`;
  return visit.send({ title, main, head });
}

function faultOf({ address, mode }: Asked): string | undefined {
  if (address === '') return 'Type the address to verify. Nothing was verified.';
  const { length } = [...address];
  if (length > MOST_CHARACTERS)
    return `Expected an address of at most ${MOST_CHARACTERS} characters, got ${length}. Nothing was verified.`;
  // The API answers it with a result, and takes a credit for it. A person gets to know it for nothing.
  if (mode === 'live' && !isAddress(address)) return NO_ADDRESS;
  return undefined;
}

const NO_ADDRESS = 'This is not an email address. Nothing was verified, and nothing was charged.';
