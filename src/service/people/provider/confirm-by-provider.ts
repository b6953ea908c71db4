/** Lets a signed-in person who has no password sign in at the provider again, before what a thief of the session must not do. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../../database/schema.ts';
import { sendPage } from '../../pages/error-page.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden } from '../../pages/page-layout.ts';
import type { Site } from '../../pages/page-urls.ts';
import { accountMenu } from '../sessions/account-menu.ts';
import { formToken } from '../sessions/page-forms.ts';
import { confirmSession } from '../sessions/session-store.ts';
import type { ConfirmedPage } from '../sign-in/sign-in-ways.ts';
import type { Vouched } from './provider-answer.ts';
import { PROVIDER_PATHS } from './provider-paths.ts';
import type { ProviderRefusal } from './provider-refusals.ts';
import { findIdentity, putProviderSession } from './provider-store.ts';
import type { ResumedRequest } from './sign-in-request.ts';

/** In a form that begins a confirmation, the page to go back to. All other fields are those of the form that waits. */
export const CONFIRM_FOR = 'confirm_for';
/** In a form that was confirmed meanwhile. */
export const CONFIRMED_AT_PROVIDER = 'confirmed_at_provider';

/** The button that leads to the provider. @param name the name of the provider */
export const confirmAtProvider =
  (site: Site, name: string) =>
  (request: FastifyRequest, { path, typed }: ConfirmedPage): Html =>
    html`<form class="box" method="post" action="${site.link(PROVIDER_PATHS.begin)}">
${formToken(request)}
${hidden(typed)}
${hidden([[CONFIRM_FOR, path]])}
<p>You sign in there once more, and come back to this page.</p>
<p><button class="primary">Confirm with ${name}</button></p>
</form>`;

/** @returns why the session is not confirmed. Undefined if it is */
export async function confirmByProvider(
  db: Db,
  { browser }: FastifyRequest,
  { personId }: ResumedRequest,
  vouched: Vouched,
): Promise<ProviderRefusal | undefined> {
  const { signedIn } = browser;
  if (signedIn?.personId !== personId) return 'state';
  if ((await findIdentity(db, vouched)) !== personId) return 'otherPerson';
  // The session may have ended meanwhile.
  if (!(await confirmSession(db, signedIn!.sessionId, personId!))) return 'state';
  await putProviderSession(db, signedIn!.sessionId, vouched);
  return undefined;
}

/** Leads back to the form, with what the person has typed. */
export function sendConfirmed(
  reply: FastifyReply,
  site: Site,
  { typed, returnTo = '/dashboard/' }: Pick<ResumedRequest, 'typed' | 'returnTo'>,
): FastifyReply {
  const { request } = reply;
  if (typed.size === 0) return reply.redirect(site.link(returnTo), 303);
  const main = html`<h1>Confirmed</h1>
<p tabindex="-1" autofocus>You have confirmed that it is you. What you have typed is kept.</p>
<form method="post" action="${site.link(returnTo)}">
${formToken(request)}
${hidden(typed)}
${hidden([[CONFIRMED_AT_PROVIDER, 'yes']])}
<p><button class="primary">Continue</button></p>
</form>`;
  const page = { title: 'Confirmed', main, isNarrow: true, top: { own: accountMenu(request, site) } };
  return sendPage(reply, site, page);
}
