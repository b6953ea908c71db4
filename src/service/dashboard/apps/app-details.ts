/** `/dashboard/apps/:clientId`: an app, the accounts that authorised it, and the actions on it. */
import type { FastifyReply } from 'fastify';
import { counted } from '../../core/format.ts';
import type { Deps } from '../../deps/deps.ts';
import type { App } from '../../oauth/apps/app-store.ts';
import { secretVersion } from '../../oauth/apps/manage/manage-apps.ts';
import { type Authorisations, listAuthorisations } from '../../oauth/tokens/grant-store.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden, problem } from '../../pages/page-layout.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { dataTable } from '../data-table.ts';
import { done } from '../done.ts';
import { type Sent, selectField } from '../form-fields.ts';
import { moment } from '../moment.ts';
import type { Visit } from '../visit.ts';
import { appFields, seenOf, typedOf } from './app-form.ts';
import { APPS, flowsOf } from './app-list.ts';
import { copied, endpoints } from './reveal-app.ts';

const DONE = {
  changed: 'The app was changed.',
  unchanged: 'The app already had these settings.',
  exists: 'This app already exists. Its secret was shown once. If you do not have it, roll the secret.',
  'rolled-before':
    'The secret was already rolled, so it was not rolled again. The new secret was shown once. If you do not have it, roll it again.',
  ended: 'The old secret no longer works.',
};

/** By the value of the field. */
export const OVERLAPS: readonly (readonly [string, string])[] = [
  ['0', 'stops at once'],
  ['86400', 'works for another day'],
];

/** @param sent a form that was not accepted */
export async function sendApp(
  visit: Visit,
  { db, publicUrl }: Pick<Deps, 'db' | 'publicUrl'>,
  app: App,
  sent?: Sent,
): Promise<FastifyReply> {
  const { request, reply, site, may, send } = visit;
  const authorisations = await listAuthorisations(db, app.client_id);
  const path = site.link(`${APPS}/${app.client_id}`);
  const token = formToken(request);
  if (sent) reply.code(422);
  return send({
    title: app.name,
    main: html`<p class="back"><a href="${site.link(APPS)}">Apps</a></p>
<h1><bdi>${app.name}</bdi></h1>
${problem(sent && `${sent.fault.message} The app was not changed.`)}
${!sent && done(visit, DONE)}
<section class="box" aria-label="Facts">
${copied('Client id', 'client-id', app.client_id)}
<dl>
<dt>Kind</dt><dd>${app.secret ? 'Confidential: it has a secret' : 'Public: it has no secret'}</dd>
<dt>Flows</dt><dd>${flowsOf(app)}</dd>
<dt>Created</dt><dd>${moment(app.created_at)}</dd>
</dl></section>
${authorisationTable(authorisations)}
${may('manageKeys') ? forms(app, { path, token, sent, authorisations, url: publicUrl.now() }) : endpoints(publicUrl.now())}`,
  });
}

interface Forms {
  readonly path: string;
  readonly token: Html[];
  readonly sent: Sent | undefined;
  readonly authorisations: Authorisations;
  readonly url: string;
}

function forms(app: App, shown: Forms): Html {
  const { path, token, sent, authorisations, url } = shown;
  return html`<form class="box settings" method="post" action="${path}" aria-labelledby="change-title">
<h2 id="change-title">Name and flows</h2>
${token}
${hidden([['seen', seenOf(app)]])}
${appFields(sent?.typed ?? typedOf(app), sent?.fault)}
<p><button class="primary">Save</button></p>
</form>
${app.secret ? secretForms(app, app.secret, shown) : undefined}
${endpoints(url)}
<details class="danger box"><summary>Delete…</summary>
<p>The app is deleted for good. All its codes and tokens stop at once${authorisations.latest.length > 0 && html`, in ${accounts(authorisations)}`}. This cannot be undone.</p>
<form method="post" action="${path}/delete">${token}<button class="danger">Delete app</button></form>
</details>`;
}

function secretForms(app: App, secret: Buffer, { path, token, sent }: Forms): Html {
  const until = app.former_secret_until;
  return html`<section class="box" aria-labelledby="roll-title">
<h2 id="roll-title">Client secret</h2>
<p>Roll the secret if others may know it. The app's tokens keep working.</p>
${
  app.has_former_secret &&
  until !== null &&
  html`<p class="warning">The old secret works until ${moment(until)}.</p>
<form method="post" action="${path}/end-old">${token}<button>End the old secret now</button></form>`
}
<form class="settings" method="post" action="${path}/roll">
${token}
${hidden([['version', secretVersion(secret)]])}
${selectField({ label: 'The old secret', name: 'overlap', value: '86400', choices: OVERLAPS, fault: sent?.fault })}
<p><button>Roll secret</button></p>
</form></section>`;
}

const accounts = ({ latest, hasMore }: Authorisations): string =>
  `${hasMore ? 'more than ' : ''}${counted(latest.length, 'account')}`;

function authorisationTable(authorisations: Authorisations): Html {
  const { latest, hasMore } = authorisations;
  if (latest.length === 0) {
    return html`<section class="part"><h2>Who has authorised it</h2>
<p>No account has authorised this app yet. Send people to the authorization endpoint, or let them enter a device code.</p></section>`;
  }
  const caption = hasMore ? `The ${latest.length} accounts that used it last` : accounts(authorisations);
  return html`<section class="part"><h2>Who has authorised it</h2>
${dataTable({
  ...{ label: 'Who has authorised it', caption, css: 'apps' },
  columns: ['Account', 'Since', 'Last used'],
  rows: latest.map(({ owner_email, since, last_used }) => [
    html`<bdi>${owner_email}</bdi>`,
    moment(since),
    moment(last_used),
  ]),
})}</section>`;
}
