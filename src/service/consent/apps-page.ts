/** `/account/apps`: the apps that may use the account. The owner takes their permission back here. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { queryParameters } from '../http/parameters.ts';
import type { AuthorisedApp, Grants } from '../oauth/grants.ts';
import { sendPage } from '../pages/error-page.ts';
import { formToken, readForm } from '../pages/forms.ts';
import { type Html, html } from '../pages/html.ts';
import { hidden, name, problem, renderPage } from '../pages/layout.ts';
import { accountMenu } from '../pages/menu.ts';
import type { Site } from '../pages/site.ts';
import { sendSignInForm } from '../sign-in/form.ts';

const PATH = '/account/apps';

export interface AppsPageOptions {
  readonly site: Site;
  readonly grants: Grants;
}

/** Has to be added to a scope of pages. */
export const appsPage: FastifyPluginAsync<AppsPageOptions> = async (app, { site, grants }) => {
  app.get(PATH, async (request, reply) => sendApps(request, reply));

  app.post(PATH, async (request, reply) => {
    const { fields, isOwn } = await readForm(request);
    const { signedIn } = request.browser;
    if (!isOwn || !signedIn) return sendApps(request, reply.code(403), 'Nothing was removed. Try again.');
    await grants.revokeAuthorisedApp(signedIn.accountId, fields.get('client_id') ?? '');
    // A reload of the next page sends no form again.
    return reply.redirect(site.link(`${PATH}?removed=1`), 303);
  });

  async function sendApps(
    request: FastifyRequest,
    reply: FastifyReply,
    fault?: string,
  ): Promise<FastifyReply> {
    const { signedIn } = request.browser;
    if (!signedIn) return sendSignInForm(request, reply, site, { returnTo: PATH, fault });
    const apps = await grants.listAuthorisedApps(signedIn.accountId);
    const isRemoved = fault === undefined && queryParameters(request).has('removed');
    const main = html`<h1>Authorised apps</h1>
${problem(fault)}
${isRemoved && html`<p class="done" role="status">The app may not use your account any more.</p>`}
<p>${apps.length > 0 ? 'These apps may use your account.' : 'No app may use your account.'}
You are signed in as ${name(signedIn.email)}.</p>
${apps.map((found) => appBox(request, site, found))}`;
    const menu = accountMenu(request, site);
    return sendPage(reply, renderPage(site, { title: 'Authorised apps', main, menu }));
  }
};

function appBox(
  request: FastifyRequest,
  site: Site,
  { clientId, name: appName, since, lastUsed }: AuthorisedApp,
): Html {
  return html`<section class="box app">
<div>
<h2><bdi>${appName}</bdi></h2>
<p class="note">Allowed ${dayOf(since)}, last used ${dayOf(lastUsed)}</p>
</div>
<form method="post" action="${site.link(PATH)}">
${formToken(request)}
${hidden([['client_id', clientId]])}
<button aria-label="Remove ${appName}">Remove</button>
</form>
</section>`;
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

const dayOf = (time: Date): Html =>
  html`<time datetime="${time.toISOString().slice(0, 10)}">${DAY.format(time)}</time>`;
