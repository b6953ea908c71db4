/** The links and the sign-out button on the pages of a signed-in person. */
import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { formToken } from './page-forms.ts';

const PAGES = Object.entries({ Dashboard: '/dashboard/', Apps: '/dashboard/apps' });

export function accountMenu(request: FastifyRequest, site: Site): Html {
  const links = PAGES.map(([title, page]) => html`<a href="${site.link(page)}">${title}</a>`);
  return html`<nav aria-label="Account">${links}</nav>
<form method="post" action="${site.link('/logout')}">${formToken(request)}<button class="small">Sign out</button></form>`;
}
