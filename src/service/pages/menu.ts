/** The links and the sign-out on the pages of a person who has signed in. */
import type { FastifyRequest } from 'fastify';
import { formToken } from './forms.ts';
import { type Html, html } from './html.ts';
import type { Site } from './site.ts';

const PAGES = [
  ['Dashboard', '/dashboard/'],
  ['Authorised apps', '/account/apps'],
] as const;

export function accountMenu(request: FastifyRequest, site: Site): Html {
  const path = request.routeOptions.url;
  const links = PAGES.map(
    ([title, page]) =>
      html`<a href="${site.link(page)}"${page === path && html` aria-current="page"`}>${title}</a>`,
  );
  return html`<nav aria-label="Account">${links}</nav>
<form method="post" action="${site.link('/logout')}">${formToken(request)}<button>Sign out</button></form>`;
}
