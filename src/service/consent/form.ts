/** The question whether an app may act for the account. Both flows ask it in the same words. */
import type { FastifyRequest } from 'fastify';
import { formToken } from '../pages/forms.ts';
import { type Html, html } from '../pages/html.ts';
import { hidden, name, problem } from '../pages/layout.ts';
import type { Site } from '../pages/site.ts';

export interface Question {
  readonly appName: string;
  readonly email: string;
  /** The path of the page, which gets the decision, too. */
  readonly path: string;
  /** What says which request is decided. */
  readonly fields: Iterable<readonly [string, string]>;
  /** The path with the query that leads to this question again. */
  readonly returnTo: string;
  /** Whether a decision was sent that could not be taken. @default false */
  readonly isAgain?: boolean;
  /** What the person should look at before the decision. */
  readonly hint: Html;
}

const OUT_OF_DATE = 'The page was out of date, so nothing was decided. Decide again.';

export function consentForm(request: FastifyRequest, site: Site, question: Question): Html {
  const { appName, email, path, fields, returnTo, hint, isAgain = false } = question;
  const otherAccount = `/login?${new URLSearchParams({ other: 'account', return_to: returnTo })}`;
  return html`<h1>Allow ${name(appName)} to use your account?</h1>
${problem(isAgain ? OUT_OF_DATE : undefined)}
<p>The app ${name(appName)} asks to use the account of ${name(email)}. If you allow it, the app can:</p>
<ul>
<li>verify email addresses, one by one and in batches, with your credits</li>
<li>read the results of all your batches</li>
<li>read your email address and how many credits you have</li>
</ul>
<p>The app does not learn your password. You can take the permission back at any time, at
<a href="${site.link('/dashboard/apps')}">Apps</a> in your dashboard.</p>
${hint}
<form class="box" method="post" action="${site.link(path)}">
${formToken(request)}
${hidden(fields)}
<p class="buttons"><button name="decision" value="allow" class="primary">Allow</button>
<button name="decision" value="deny">Deny</button></p>
</form>
<p class="note">This is not your account? <a href="${site.link(otherAccount)}">Use another account</a></p>`;
}
