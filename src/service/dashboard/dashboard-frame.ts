/** The frame of every page of the dashboard: the sections, the signed-in owner, and the sign-out button. */
import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../pages/html.ts';
import type { Site } from '../pages/page-urls.ts';
import { formToken } from '../people/sessions/page-forms.ts';

/** In the order of the menu. */
const SECTIONS = [
  ['Overview', '/dashboard/'],
  ['Verify', '/dashboard/verify'],
  ['Batches', '/dashboard/batches'],
  ['Keys', '/dashboard/keys'],
  ['Apps', '/dashboard/apps'],
  ['Usage', '/dashboard/usage'],
  ['Audit log', '/dashboard/audit'],
  ['Settings', '/dashboard/settings'],
] as const;

/** The links to the sections. The page's own section is marked. In a narrow window, they are folded. */
export function sections(request: FastifyRequest, site: Site, email: string): Html {
  // A draft list belongs to the batches.
  const path = (request.routeOptions.url ?? '').replace(/^\/dashboard\/lists/, '/dashboard/batches');
  const isCurrent = (section: string) =>
    section === '/dashboard/' ? path === section : path.startsWith(section);
  const links = SECTIONS.map(
    ([title, section]) =>
      html`<li><a href="${site.link(section)}"${isCurrent(section) && html` aria-current="${path === section ? 'page' : 'true'}"`}>${title}</a></li>`,
  );
  const current = SECTIONS.find(([, section]) => isCurrent(section));
  return html`<details class="sections-folded turns"><summary><span>Menu${current && html`: <strong>${current[0]}</strong>`}</span></summary>
<nav aria-label="Dashboard"><ul>${links}</ul></nav>
${dashboardMenu(request, site, email)}</details>
<nav class="sections" aria-label="Dashboard"><ul>${links}</ul></nav>`;
}

/** A link to the section that a page belongs to, or to the overview. @param path of the page, without its query */
export function sectionLink(path: string, site: Site): Html {
  const own = path.replace(/^\/dashboard\/lists/, '/dashboard/batches');
  const [title, section] =
    SECTIONS.find(([, one]) => one !== '/dashboard/' && `${own}/`.startsWith(`${one}/`)) ?? SECTIONS[0];
  return html`<a href="${site.link(section)}">Go to ${title}</a>`;
}

/** Who has signed in, and the button to sign out. */
export const dashboardMenu = (request: FastifyRequest, site: Site, email: string): Html =>
  html`<div class="person"><span class="who"><bdi>${email}</bdi></span>
<form method="post" action="${site.link('/logout')}">${formToken(request)}<button class="small">Sign out</button></form></div>`;
