/** `/login`: signing in and out. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { digestOf } from '../../../shared/sha256.ts';
import { clientIp } from '../../http/client-ip.ts';
import { queryParameters } from '../../http/parameters.ts';
import { sendPage } from '../../pages/error-page.ts';
import { html } from '../../pages/html.ts';
import { name, problem } from '../../pages/page-layout.ts';
import type { Site } from '../../pages/page-urls.ts';
import { readReturnAddress } from '../../pages/return-address.ts';
import { afterPassword, showSecondStep } from '../factors/second-step-route.ts';
import { accountMenu } from '../sessions/account-menu.ts';
import { giveCookie, readOwnCookie } from '../sessions/browser.ts';
import { makeValue } from '../sessions/cookie-value.ts';
import { readForm } from '../sessions/page-forms.ts';
import { endSession } from '../sessions/session-store.ts';
import { HOME } from './finish-sign-in.ts';
import { KNOWN_BROWSER } from './known-browser.ts';
import { digestsOf, ONLY_PROVIDER } from './log-digests.ts';
import type { SignInRouteOptions } from './sign-in.ts';
import { sendSignInForm } from './sign-in-form.ts';
import { sendRefused } from './sign-in-refusal.ts';

/** Must be registered in a scope of pages. */
export const signInRoute: FastifyPluginAsync<SignInRouteOptions> = async (app, { site, deps }) => {
  app.get('/login', async (request, reply) => {
    const returnTo = readReturnAddress(queryText(request, 'return_to'));
    const { signedIn } = request.browser;
    if (!signedIn) {
      const isFirst = queryText(request, 'step') === 'first';
      const second = isFirst ? undefined : await showSecondStep(deps, site, reply);
      return second ?? sendSignInForm(reply, site, { returnTo });
    }
    if (queryText(request, 'other') === 'account') {
      const reason = html`You are signed in as ${name(signedIn.email)}. Sign in with the account that you want to use.`;
      return sendSignInForm(reply, site, { returnTo, reason });
    }
    if (returnTo !== undefined) return reply.redirect(site.link(returnTo), 303);
    return sendSignedIn(reply, site, HOME);
  });

  app.post('/login', async (request, reply) => {
    const { fields, isOwn } = await readForm(request);
    const returnTo = readReturnAddress(fields.get('return_to'));
    const email = fields.get('email') ?? '';
    if (!isOwn) return sendAgain(reply, site, { returnTo, email });
    if (site.provider?.only) {
      deps.log('info', 'sign-in refused', {
        ...{ reason: 'password not accepted', ...digestsOf({ email: email.trim(), ip: clientIp(request) }) },
        advice: ONLY_PROVIDER,
      });
      const fault = `Passwords are not accepted here. Sign in with ${site.provider.name}.`;
      return sendSignInForm(reply.code(403), site, { returnTo, fault });
    }
    const judged = await deps.passwords.judge({
      ...{ email, password: fields.get('password') ?? '', ip: clientIp(request) },
      browserToken: readOwnCookie(request, site, KNOWN_BROWSER.name),
    });
    if (judged.kind !== 'right') return sendRefused(reply, site, judged, { returnTo, email });
    await judged.forgive();
    const { person } = judged;
    return afterPassword(deps, site, reply, { person, returnTo });
  });

  app.post('/logout', async (request, reply) => {
    const { isOwn } = await readForm(request);
    if (!isOwn) return sendAgain(reply, site, { returnTo: undefined, email: '' });
    await endSession(deps.db, digestOf(request.browser.value));
    giveCookie(reply, site, makeValue());
    return reply.redirect(site.link('/login'), 303);
  });
};

/** Handles a form that is older than a sign-in or sign-out in another tab. The person only has to type the password again. */
function sendAgain(
  reply: FastifyReply,
  site: Site,
  { returnTo, email }: { returnTo: string | undefined; email: string },
): FastifyReply {
  reply.code(403);
  if (reply.request.browser.signedIn) return sendSignedIn(reply, site, returnTo ?? HOME, OUT_OF_DATE);
  return sendSignInForm(reply, site, { returnTo, email, fault: OUT_OF_DATE });
}

const OUT_OF_DATE = 'The form was out of date. Try again.';

function sendSignedIn(reply: FastifyReply, site: Site, next: string, fault?: string): FastifyReply {
  const { request } = reply;
  const { email } = request.browser.signedIn!;
  const main = html`<h1>You are signed in</h1>
${problem(fault, true)}
<p>You are signed in as ${name(email)}.</p>
<p><a class="button" href="${site.link(next)}">${next === HOME ? 'Dashboard' : 'Continue'}</a></p>`;
  const page = { title: 'Signed in', main, top: { own: accountMenu(request, site) } };
  return sendPage(reply, site, page);
}

/** A value that occurs once in the query. */
function queryText(request: FastifyRequest, field: string): string | undefined {
  const values = queryParameters(request).get(field);
  return values?.length === 1 ? String(values[0]) : undefined;
}
