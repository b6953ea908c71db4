/** `/oauth/authorize`: asks whether an app may use the account, and sends the person back to the app. */
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { Failure } from '../../core/failures.ts';
import type { Deps } from '../../deps/deps.ts';
import { type Parameters, wellFormedQuery } from '../../http/parameters.ts';
import { sendErrorPage, sendPage } from '../../pages/error-page.ts';
import { html } from '../../pages/html.ts';
import { pageHeaders } from '../../pages/page-headers.ts';
import { name } from '../../pages/page-layout.ts';
import type { Site } from '../../pages/page-urls.ts';
import { readForm } from '../../people/sessions/page-forms.ts';
import { sendSignInForm } from '../../people/sign-in/sign-in-form.ts';
import { readAuthorizationRequest } from '../authorization/read-authorization-request.ts';
import { allowRequest, denyRequest } from '../decisions.ts';
import type { AuthorizationRequest, Decision, WrongRequest } from '../grants.ts';
import { consentForm, isAnswerTo } from './consent-form.ts';
import { accountToDecide, deciderOf, sendMayNotDecide } from './consent-refused.ts';
import { describeTarget } from './redirect-target.ts';

const PATH = '/oauth/authorize';
/** The parameters that the form sends again. Others are ignored (RFC 6749, section 3.1). */
const PARAMETERS = [
  ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state'],
  ...['code_challenge', 'code_challenge_method'],
];

export interface AuthorizePageOptions {
  readonly site: Site;
  readonly deps: Pick<Deps, 'db' | 'settings' | 'untilUnlocked'>;
  /** The service's identifier as an issuer (RFC 9207). */
  readonly issuer: () => string;
}

/** Must be registered in a scope of pages. */
export const authorizePage: FastifyPluginAsync<AuthorizePageOptions> = async (app, options) => {
  const { site, deps, issuer } = options;
  const { db } = deps;

  app.get(PATH, async (request, reply) => {
    const sent = wellFormedQuery(request);
    const asked = await readAuthorizationRequest(db, sent, issuer());
    if (asked.kind === 'error-page') return sendWrongRequest(reply, site, asked);
    return sendQuestion(deps, reply, site, { asked, sent, isAgain: false });
  });

  app.post(PATH, async (request, reply) => {
    const { fields, isOwn } = await readForm(request);
    const sent = readSent(fields);
    const asked = await readAuthorizationRequest(db, sent, issuer());
    if (asked.kind === 'error-page') return sendWrongRequest(reply, site, asked);
    const account = accountToDecide(request, deps.settings.members);
    // The decision does not count, and the person is asked again.
    const isAnswer = isOwn && isAnswerTo(request, fields, { app: asked.app, target: asked.redirectUri });
    if (!isAnswer || !account)
      return sendQuestion(deps, reply.code(403), site, { asked, sent, isAgain: true });
    const decision = fields.get('decision');
    const decider = deciderOf(request, account);
    await deps.untilUnlocked(account.id);
    if (decision === 'deny') return sendDecision(reply, site, asked, await denyRequest(db, asked, decider));
    if (decision !== 'allow') throw new Failure('badRequest', 'Expected the decision to be allow or deny.');
    return sendDecision(reply, site, asked, await allowRequest(deps, asked, decider));
  });
};

interface Question {
  readonly asked: AuthorizationRequest;
  readonly sent: Parameters;
  /** Whether a sent decision did not count. */
  readonly isAgain: boolean;
}

/**
 * Browsers send each line break of a field as CR LF (HTML, "constructing the entry list"), but the app must get its
 * state back unchanged. So the form contains the state percent-encoded. Other parameters have no line breaks.
 */
const toField = (field: string, value: string): string =>
  field === 'state' ? encodeURIComponent(value) : value;

/** @throws {Failure} for a state that `toField` did not write */
function readSent(fields: ReadonlyMap<string, string>): Parameters {
  const read = (field: string, value: string) => (field === 'state' ? decodeURIComponent(value) : value);
  try {
    return new Map([...fields].map(([field, value]) => [field, [read(field, value)]]));
  } catch {
    throw new Failure('badRequest', 'Expected the state as in the form of the page, percent-encoded.');
  }
}

/** Asks for a sign-in first, if needed. The app's parameters stay the same. */
function sendQuestion(
  { settings }: AuthorizePageOptions['deps'],
  reply: FastifyReply,
  site: Site,
  { asked, sent, isAgain }: Question,
): FastifyReply {
  const { request } = reply;
  const { app, redirectUri } = asked;
  const parameters = PARAMETERS.flatMap((parameter): [string, string][] => {
    const value = sent.get(parameter)?.[0];
    return value === undefined ? [] : [[parameter, String(value)]];
  });
  const returnTo = `${PATH}?${new URLSearchParams(parameters)}`;
  const { signedIn } = request.browser;
  if (!signedIn) {
    const reason = html`The app ${name(app.name)} asks to use your account. Sign in to decide.`;
    const fault = isAgain
      ? 'Your session has ended, so your decision was not saved. Sign in, then decide again.'
      : undefined;
    return sendSignInForm(reply, site, { returnTo, reason, fault });
  }
  const account = accountToDecide(request, settings.members);
  if (!account) return sendMayNotDecide(reply, site, returnTo);
  const { words, formTargets } = describeTarget(redirectUri);
  const hint = html`<p>${words}</p>`;
  const { ownerEmail } = account;
  const fields = parameters.map(([field, value]): [string, string] => [field, toField(field, value)]);
  const question = { app, ownerEmail, path: PATH, fields, returnTo, isAgain, hint, target: redirectUri };
  reply.headers(pageHeaders(formTargets));
  const main = consentForm(request, site, question);
  return sendPage(reply, site, { title: `Allow ${app.name}?`, main, top: { isPlain: true } });
}

function sendDecision(reply: FastifyReply, site: Site, { app }: AuthorizationRequest, decision: Decision) {
  if (decision.kind === 'error-page') return sendWrongRequest(reply, site, decision);
  if (decision.kind === 'redirect') return reply.redirect(decision.url, 303);
  const main =
    decision.kind === 'oob-code'
      ? html`<h1>Copy this code</h1>
<p>Enter it in the app ${name(app.name)} within a few minutes. It works once.</p>
<p><code id="code" class="code">${decision.code}</code></p>`
      : html`<h1>You denied the request</h1>
<p>The app ${name(app.name)} may not use your account. You can close this page.</p>`;
  const title = decision.kind === 'oob-code' ? 'Your code' : 'Denied';
  return sendPage(reply, site, { title, main, top: { isPlain: true }, isNarrow: true });
}

function sendWrongRequest(reply: FastifyReply, site: Site, { error, message }: WrongRequest): FastifyReply {
  return sendErrorPage(reply, site, {
    status: 400,
    title: 'The app sent a wrong request',
    message: 'This is not your mistake, and the app got no access. Tell the developers of the app:',
    more: html`<p class="quoted"><code>${error}</code><br>${message}</p>`,
  });
}
