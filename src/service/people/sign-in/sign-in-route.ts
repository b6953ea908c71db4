/** `/login`: signing in and out. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { digestOf } from '../../../shared/sha256.ts';
import { clientIp } from '../../http/client-ip.ts';
import { queryParameters } from '../../http/parameters.ts';
import { sendPage } from '../../pages/error-page.ts';
import { html } from '../../pages/html.ts';
import { name, problem, renderPage } from '../../pages/page-layout.ts';
import type { Site } from '../../pages/page-urls.ts';
import { readReturnAddress } from '../../pages/return-address.ts';
import { durationInWords } from '../../pages/waiting-time.ts';
import { accountMenu } from '../sessions/account-menu.ts';
import { giveCookie, readOwnCookie, setOwnCookie } from '../sessions/browser.ts';
import { makeValue } from '../sessions/cookie-value.ts';
import { readForm } from '../sessions/page-forms.ts';
import { endSession } from '../sessions/session-store.ts';
import { type SignInDeps, type SignInResult, signIn } from './sign-in.ts';
import { sendSignInForm } from './sign-in-form.ts';

/** Where a sign-in leads by default. */
const HOME = '/dashboard/';
/** Browsers limit the lifetime of cookies to about this. */
export const KNOWN_BROWSER = { name: 'known-browser', seconds: 365 * 24 * 60 * 60 };

export interface SignInRouteOptions {
  readonly site: Site;
  readonly deps: SignInDeps;
}

/** Must be registered in a scope of pages. */
export const signInRoute: FastifyPluginAsync<SignInRouteOptions> = async (app, { site, deps }) => {
  app.get('/login', async (request, reply) => {
    const returnTo = readReturnAddress(queryText(request, 'return_to'));
    const { signedIn } = request.browser;
    if (!signedIn) return sendSignInForm(request, reply, site, { returnTo });
    if (queryText(request, 'other') === 'account') {
      const reason = html`You are signed in as ${name(signedIn.email)}. Sign in with the account that you want to use.`;
      return sendSignInForm(request, reply, site, { returnTo, reason });
    }
    if (returnTo !== undefined) return reply.redirect(site.link(returnTo), 303);
    return sendSignedIn(request, reply, site, HOME);
  });

  app.post('/login', async (request, reply) => {
    const { fields, isOwn } = await readForm(request);
    const returnTo = readReturnAddress(fields.get('return_to'));
    const email = fields.get('email') ?? '';
    if (!isOwn) return sendAgain(request, reply, site, { returnTo, email });
    const result = await signIn(deps, {
      email,
      password: fields.get('password') ?? '',
      ip: clientIp(request),
      cookie: request.browser.value,
      userAgent: request.headers['user-agent'],
      browserToken: readOwnCookie(request, site, KNOWN_BROWSER.name),
    });
    if (result.kind === 'signed-in') {
      giveCookie(request, reply, site, result.cookie);
      setOwnCookie(request, reply, site, { ...KNOWN_BROWSER, value: result.browserToken });
      return reply.redirect(site.link(returnTo ?? HOME), 303);
    }
    const { status, fault, headers } = refusalOf(result);
    return sendSignInForm(request, reply.code(status).headers(headers), site, { returnTo, email, fault });
  });

  app.post('/logout', async (request, reply) => {
    const { isOwn } = await readForm(request);
    if (!isOwn) return sendAgain(request, reply, site, { returnTo: undefined, email: '' });
    await endSession(deps.db, digestOf(request.browser.value));
    giveCookie(request, reply, site, makeValue());
    return reply.redirect(site.link('/login'), 303);
  });
};

/**
 * Handles a form that is older than a sign-in or sign-out in another tab. The person only has to type the password
 * again.
 */
function sendAgain(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Site,
  { returnTo, email }: { returnTo: string | undefined; email: string },
): FastifyReply {
  reply.code(403);
  if (request.browser.signedIn) return sendSignedIn(request, reply, site, returnTo ?? HOME, OUT_OF_DATE);
  return sendSignInForm(request, reply, site, { returnTo, email, fault: OUT_OF_DATE });
}

const OUT_OF_DATE = 'The form was out of date. Try again.';

function sendSignedIn(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Site,
  next: string,
  fault?: string,
): FastifyReply {
  const { email } = request.browser.signedIn!;
  const main = html`<h1>You are signed in</h1>
${problem(fault, true)}
<p>You are signed in as ${name(email)}.</p>
<p><a href="${site.link(next)}">${next === HOME ? 'Dashboard' : 'Continue'}</a></p>`;
  const page = { title: 'Signed in', main, top: { own: accountMenu(request, site) } };
  return sendPage(reply, renderPage(site, page));
}

interface Refused {
  readonly status: number;
  readonly fault: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The refusal of a sign-in. It is the same for an unknown account and a wrong password.
 *
 * @param wrong the message for a wrong password
 */
export function refusalOf(
  result: Exclude<SignInResult, { kind: 'signed-in' }>,
  wrong = 'The email address or the password is wrong.',
): Refused {
  if (result.kind === 'wrong') return { status: 422, fault: wrong, headers: {} };
  const seconds = result.kind === 'paused' ? result.seconds : 2;
  const headers = { 'Retry-After': `${seconds}` };
  if (result.kind === 'busy')
    return { status: 503, fault: 'Many people are signing in. Try again in a moment.', headers };
  return {
    status: 429,
    fault: `There were too many tries. Wait ${durationInWords(seconds)}, then try again.`,
    headers,
  };
}

/** A value that occurs once in the query. */
function queryText(request: FastifyRequest, field: string): string | undefined {
  const values = queryParameters(request).get(field);
  return values?.length === 1 ? String(values[0]) : undefined;
}
