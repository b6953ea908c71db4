/** The button *Sign in with NAME* of the sign-in form. */
import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../../pages/html.ts';
import { hidden } from '../../pages/page-layout.ts';
import type { Site, SiteProvider } from '../../pages/page-urls.ts';
import { formToken } from '../sessions/page-forms.ts';
import { PROVIDER_PATHS } from './provider-paths.ts';

/** @param returnTo the path and query to go to afterwards, within this service */
export function providerButton(
  request: FastifyRequest,
  site: Site,
  { name, only, isAway }: SiteProvider,
  returnTo: string | undefined,
): Html {
  const away = isAway();
  const others = only ? '' : ' or sign in with your password';
  return html`<form class="box" method="post" action="${site.link(PROVIDER_PATHS.begin)}">
${formToken(request)}
${returnTo !== undefined && hidden([['return_to', returnTo]])}
<button class="${only && 'primary'}"${away && html` aria-describedby="provider-away"`}>Sign in with ${name}</button>
${away && html`<p class="note" id="provider-away">${name} cannot be reached at the moment. Try again in a minute${others}.</p>`}
</form>`;
}
