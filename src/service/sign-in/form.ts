/** The form that asks for an email address and a password. Any page shows it in its own place. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendPage } from '../pages/error-page.ts';
import { formToken } from '../pages/forms.ts';
import { type Html, html } from '../pages/html.ts';
import { hidden, problem, renderPage } from '../pages/layout.ts';
import type { Site } from '../pages/site.ts';

export interface SignInForm {
  /** Where the person goes afterwards: a path of this service with its query. */
  readonly returnTo: string | undefined;
  /** What the sign-in is for. */
  readonly reason?: Html | undefined;
  /** Why the form is shown again. */
  readonly fault?: string | undefined;
  /** What was typed before. */
  readonly email?: string;
}

/**
 * Shows the form at the URL of the page that needs a sign-in. There is no redirect, so a long request stays whole, and
 * a reload shows the page itself after a sign-in in another tab.
 */
export function sendSignInForm(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Site,
  { returnTo, reason, fault, email = '' }: SignInForm,
): FastifyReply {
  const isAgain = fault !== undefined;
  // Whoever sees the form again has the email address right, most often.
  const [emailFirst, passwordFirst] = email === '' ? [true, false] : [false, true];
  const described = isAgain && html` aria-describedby="problem"`;
  const main = html`<h1>Sign in</h1>
${reason && html`<p>${reason}</p>`}
${problem(fault)}
<form class="box" method="post" action="${site.link('/login')}">
${formToken(request)}
${returnTo !== undefined && hidden([['return_to', returnTo]])}
<p class="field"><label for="email">Email</label>
<input id="email" name="email" value="${email}" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false" required${emailFirst && html` autofocus`}${described}></p>
<p class="field"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${passwordFirst && html` autofocus`}${described}></p>
<button class="primary">Sign in</button>
</form>`;
  const title = isAgain ? 'Not signed in' : 'Sign in';
  // Whoever signs in to decide about an app is not led elsewhere.
  const top = { path: request.url.replace(/\?.*/s, ''), isPlain: reason !== undefined };
  return sendPage(reply, renderPage(site, { title, main, top, isNarrow: true }));
}
