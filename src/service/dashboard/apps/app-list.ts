/** `/dashboard/apps`: the account's own apps, and the apps that may use the account. */
import type { FastifyReply } from 'fastify';
import type { Deps } from '../../deps/deps.ts';
import { type App, listApps } from '../../oauth/apps/app-store.ts';
import { CLIENT_ID } from '../../oauth/apps/authenticate-app.ts';
import { listAuthorisedApps, revokeAuthorisedApp } from '../../oauth/decisions.ts';
import type { AuthorisedApp } from '../../oauth/grants.ts';
import { MOST_GRANTED_APPS } from '../../oauth/tokens/grant-store.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden } from '../../pages/page-layout.ts';
import type { Site } from '../../pages/page-urls.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { dataTable } from '../data-table.ts';
import { done } from '../done.ts';
import { moment } from '../moment.ts';
import { addAction, addPage, type DashboardScope, type Visit } from '../visit.ts';

export const APPS = '/dashboard/apps';
const REMOVE = `${APPS}/remove`;
/** The former URL of the apps with access, from before the dashboard. Other sites still link to it. */
const FORMER = '/account/apps';

const DONE = {
  removed: 'The app can no longer use your account.',
  deleted: 'The app was deleted. All its tokens stopped working.',
};

export function appListPage(scope: DashboardScope, deps: Pick<Deps, 'db'>): void {
  const { app, site } = scope;
  const { db } = deps;
  addPage(scope, APPS, { right: 'see' }, (visit) => sendApps(visit, deps));
  app.get(FORMER, async (_request, reply) => reply.redirect(site.link(APPS), 303));
  for (const path of [REMOVE, FORMER]) {
    addAction(
      scope,
      path,
      { right: 'manageKeys', back: APPS },
      async ({ accountId, person, goTo }, fields) => {
        const decider = { accountId, personId: person.id, email: person.email };
        const clientId = fields.get('client_id') ?? '';
        if (CLIENT_ID.test(clientId)) await revokeAuthorisedApp(db, decider, clientId);
        return goTo(`${APPS}?done=removed`);
      },
    );
  }
}

async function sendApps(visit: Visit, { db }: Pick<Deps, 'db'>): Promise<FastifyReply> {
  const { accountId, request, site, may, send } = visit;
  const [own, authorised] = await Promise.all([listApps(db, accountId), listAuthorisedApps(db, accountId)]);
  const mayChange = may('manageKeys');
  const create = mayChange && html`<a class="button" href="${site.link(`${APPS}/new`)}">Create app</a>`;
  return send({
    title: 'Apps',
    main: html`<h1>Apps</h1>
${done(visit, DONE)}
<section class="part">
<h2>Apps with access to your account</h2>
${authorised.length > 0 ? authorised.map((found) => authorisedBox(mayChange && formToken(request), site, found)) : html`<p>No app has access to your account.</p>`}
${authorised.length === MOST_GRANTED_APPS && html`<p class="note">These are the ${MOST_GRANTED_APPS} apps that were used last. If you remove one, this list has room for another.</p>`}
</section>
<section class="part">
<div class="split"><h2>Your apps</h2>${own.length > 0 && create}</div>
${own.length > 0 ? table(own, site) : empty(create)}
</section>`,
  });
}

function authorisedBox(token: Html[] | false, site: Site, app: AuthorisedApp): Html {
  const { clientId, name, since, lastUsed } = app;
  return html`<div class="box split">
<div>
<h3><bdi>${name}</bdi></h3>
<p class="note">Allowed ${moment(since)}, last used ${moment(lastUsed)}</p>
</div>
${
  token &&
  html`<form method="post" action="${site.link(REMOVE)}">
${token}
${hidden([['client_id', clientId]])}
<button aria-label="Remove ${name}">Remove</button>
</form>`
}
</div>`;
}

const empty = (create: Html | false): Html => html`<div class="empty">
<h3>Let other people connect their accounts</h3>
<p>If your program verifies addresses for other people, create an app. They allow it with one click, and it uses their credits. For your own account, a key is enough.</p>
${create}
</div>`;

function table(apps: readonly App[], site: Site): Html {
  return dataTable({
    ...{ label: 'Your apps', caption: 'Your apps, oldest first', css: 'apps' },
    columns: ['Name', 'Client id', 'Kind', 'Flows', 'Created'],
    rows: apps.map((app) => [
      html`<a href="${site.link(`${APPS}/${app.client_id}`)}"><bdi>${app.name}</bdi></a>`,
      html`<code>${app.client_id}</code>`,
      app.secret ? 'confidential' : 'public',
      flowsOf(app),
      moment(app.created_at),
    ]),
  });
}

/** The flows by which people connect the app. There is at least one. */
export function flowsOf({ redirect_uris, allows_device }: App): string {
  const ways = [...(redirect_uris.length > 0 ? ['code'] : []), ...(allows_device ? ['device'] : [])];
  return ways.join(' and ');
}
