/** The page that leads on to the provider. */
import type { FastifyReply } from 'fastify';
import { sendPage } from '../../pages/error-page.ts';
import { html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';

/**
 * A redirect would be shorter. But after a form, Chromium holds every redirect against the page's policy, and a provider
 * may redirect to the servers of others, which nobody here knows.
 */
export function sendGoingOn(reply: FastifyReply, site: Site, provider: string, url: string): FastifyReply {
  const main = html`<h1>Going on to ${provider}</h1>
<p><a href="${url}">Continue to ${provider}</a>, if your browser does not do so by itself.</p>`;
  const head = html`<meta http-equiv="refresh" content="0; url=${url}">`;
  return sendPage(reply, site, { title: `Going on to ${provider}`, main, head, isNarrow: true });
}
