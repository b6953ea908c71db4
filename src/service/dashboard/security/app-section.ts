/** The authenticator app on the page of security. Its set-up is a page of its own. */
import { type Html, html } from '../../pages/html.ts';
import { problem } from '../../pages/page-layout.ts';
import { removeOwnApp } from '../../people/factors/change-factors.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { guardedActions } from '../guarded-form.ts';
import type { DashboardDeps, DashboardScope, PersonVisit } from '../visit.ts';
import { done, PATH, type Said, type SendSecurity, type Stored, whyKept } from './security-section.ts';

export const SET_UP = `${PATH}/totp`;
const REMOVE = `${SET_UP}/remove`;

export function appSection({ request, site }: PersonVisit, { factors }: Stored, { fault }: Said): Html {
  const said = fault?.section === 'app' ? fault.text : undefined;
  return html`<section class="box" aria-labelledby="app">
<h2 id="app">Authenticator app</h2>
${problem(said, true)}
${
  factors.hasApp
    ? html`<p>Your sign-in asks for a code of your app after the password.</p>
<p><a class="button" href="${site.link(SET_UP)}">Set up another app</a></p>
<details class="danger"><summary>Remove the app…</summary>
<p>${factors.passkeys > 0 ? 'Then your sign-in asks for a passkey after the password.' : 'Then your password alone lets you in, and your recovery codes end.'}</p>
<form method="post" action="${site.link(REMOVE)}">${formToken(request)}<button class="danger">Remove the app</button></form></details>`
    : html`<p>An app on your phone shows a new code every 30 seconds. Your sign-in asks for it after the password.</p>
<p><a class="button" href="${site.link(SET_UP)}">Set up an authenticator app</a></p>`
}
</section>`;
}

export function appActions(scope: DashboardScope, deps: DashboardDeps, send: SendSecurity): void {
  const add = guardedActions(scope, deps, { right: 'own', back: PATH });

  add(REMOVE, 'remove the authenticator app', async (visit) => {
    const removed = await removeOwnApp(deps, visit.person);
    if (removed === 'removed' || removed === 'unknown') return done(visit, 'app-removed');
    visit.reply.code(409);
    return send(visit, { fault: { section: 'app', text: whyKept[removed] } });
  });
}
