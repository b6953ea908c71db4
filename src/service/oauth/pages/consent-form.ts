/** The consent form: asks whether an app may act for the account. Both flows use it. */
import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../../pages/html.ts';
import { hidden, name, problem } from '../../pages/page-layout.ts';
import type { Site } from '../../pages/page-urls.ts';
import { isQuestionToken, questionTokenOf } from '../../people/sessions/cookie-value.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import type { AskingApp } from '../grants.ts';

export interface Question {
  readonly app: AskingApp;
  /** The account's unique address, which names it. */
  readonly ownerEmail: string;
  /** The path of the page, which also receives the decision. */
  readonly path: string;
  /** The fields that identify the request. */
  readonly fields: Iterable<readonly [string, string]>;
  /** The path and query that lead back to this form. */
  readonly returnTo: string;
  /** Whether a sent decision did not count. @default false */
  readonly isAgain?: boolean;
  /** What the person should check before the decision. */
  readonly hint: Html;
  /** Where the decision leads, or the code of the device. */
  readonly target: string;
}

const TOKEN = 'question_token';

/** What the decision is about. An app with the same id may have changed since. */
const shownOf = ({ app, target }: Pick<Question, 'app' | 'target'>): readonly string[] => [
  ...[app.clientId, app.name, app.owner],
  target,
];

/** Whether this browser was asked about this app and this target. If not, ask again. */
export const isAnswerTo = (
  { browser }: FastifyRequest,
  fields: ReadonlyMap<string, string>,
  question: Pick<Question, 'app' | 'target'>,
): boolean => isQuestionToken(fields.get(TOKEN), browser.value, shownOf(question));

const OUT_OF_DATE = 'The page was out of date, so your decision was not saved. Decide again.';

export function consentForm(request: FastifyRequest, site: Site, question: Question): Html {
  const { app, ownerEmail, path, fields, returnTo, hint, isAgain = false } = question;
  const otherAccount = `/login?${new URLSearchParams({ other: 'account', return_to: returnTo })}`;
  return html`<h1>Allow ${name(app.name)} to use your account?</h1>
${problem(isAgain ? OUT_OF_DATE : undefined, true)}
<p>The app ${name(app.name)} asks to use the account of ${name(ownerEmail)}. The app belongs to ${app.owner === ownerEmail ? 'the same account' : name(app.owner)}. If you allow it, the app can:</p>
<ul>
<li>verify email addresses, one by one and in batches, with your credits</li>
<li>read the results of all your batches</li>
<li>read the email address of the account, and how many credits you have</li>
</ul>
<p>The app does not get your password. You can remove its access at any time, under
<a href="${site.link('/dashboard/apps')}">Apps</a> in your dashboard.</p>
${hint}
<form class="box" method="post" action="${site.link(path)}">
${formToken(request)}
${hidden([...fields, [TOKEN, questionTokenOf(request.browser.value, shownOf(question))]])}
<p class="buttons columns"><button name="decision" value="allow" class="primary">Allow</button>
<button name="decision" value="deny">Deny</button></p>
</form>
<p class="note">Not your account? <a href="${site.link(otherAccount)}">Use another account</a></p>`;
}
