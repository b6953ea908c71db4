/** The sign-in form. Any page can show it in place of its content. */
import type { FastifyReply } from 'fastify';
import { sendPage } from '../../pages/error-page.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden, problem } from '../../pages/page-layout.ts';
import type { Site } from '../../pages/page-urls.ts';
import { supportWords } from '../../pages/support.ts';
import { NEEDS_SCRIPTS } from '../factors/factor-forms.ts';
import { providerButton } from '../provider/provider-button.ts';
import { formToken } from '../sessions/page-forms.ts';
import { letScriptsRun } from './sign-in-ways.ts';

/** Signs in with a passkey alone, and says what the browser needs for that. */
export const PASSKEY_PATH = '/login/passkey';

export interface SignInForm {
  /** The path and query to go to afterwards, within this service. */
  readonly returnTo: string | undefined;
  /** The purpose of the sign-in. */
  readonly reason?: Html | undefined;
  /** Why the form is shown again. */
  readonly fault?: string | undefined;
  /** The email address that was typed before. */
  readonly email?: string;
}

/**
 * Shows the form at the URL of the page that needs a sign-in. Without a redirect, a long query stays complete. After a
 * sign-in in another tab, a reload shows the page itself.
 */
export function sendSignInForm(
  reply: FastifyReply,
  site: Site,
  { returnTo, reason, fault, email = '' }: SignInForm,
): FastifyReply {
  const { request } = reply;
  const { hasPasskeys, script } = request.server.signInWays;
  const isAgain = fault !== undefined;
  // On the second try, the email address is usually right.
  const [emailFirst, passwordFirst] = email === '' ? [true, false] : [false, true];
  const described = isAgain && html` aria-describedby="problem"`;
  const { provider } = site;
  const byProvider = provider && providerButton(request, site, provider, returnTo);
  const byPassword = html`<h1>Sign in</h1>
${reason && html`<p>${reason}</p>`}
${problem(fault)}
<form class="box" method="post" action="${site.link('/login')}">
${formToken(request)}
${returnTo !== undefined && hidden([['return_to', returnTo]])}
<p class="field"><label for="email">Email</label>
<input id="email" name="email" value="${email}" inputmode="email" autocomplete="username webauthn" autocapitalize="none" spellcheck="false" required${emailFirst && html` autofocus`}${described}></p>
<p class="field"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${passwordFirst && html` autofocus`}${described}></p>
<button class="primary">Sign in</button>
</form>
${byProvider}
${
  hasPasskeys &&
  html`<form class="box" method="post" action="${site.link(PASSKEY_PATH)}" data-passkey="sign-in" data-ask="${site.link(PASSKEY_PATH)}">
${formToken(request)}
${returnTo !== undefined && hidden([['return_to', returnTo]])}
<input type="hidden" name="passkey" value="" disabled>
${NEEDS_SCRIPTS}
<button hidden>Sign in with a passkey</button>
</form>`
}
<p class="note">Lost your password? ${supportWords(site.support, 'Ask ', ' for a new one.')}</p>
<p class="note">Lost your second factor? Sign in with the password, and then use a recovery code. Lost these, too? ${supportWords(site.support, 'Ask ', ' to reset it.')}</p>`;
  const main = provider?.only
    ? html`<h1>Sign in</h1>
${reason && html`<p>${reason}</p>`}
${problem(fault, true)}
${byProvider}
<p class="note">You cannot sign in? Ask those who run ${provider.name} for help.</p>`
    : byPassword;
  const title = isAgain ? 'Not signed in' : 'Sign in';
  // Whoever signs in to decide about an app is not led elsewhere.
  const top = { path: request.url.replace(/\?.*/s, ''), isPlain: reason !== undefined };
  letScriptsRun(reply);
  return sendPage(reply, site, { title, main, head: script, top, isNarrow: true });
}
