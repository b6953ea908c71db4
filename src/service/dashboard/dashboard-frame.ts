/** The frame of every page of the dashboard: the sections, the signed-in person, and the sign-out button. */
import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../pages/html.ts';
import type { Site } from '../pages/page-urls.ts';
import type { Membership } from '../people/members/member-store.ts';
import type { Right } from '../people/members/roles.ts';
import { formToken } from '../people/sessions/page-forms.ts';
import type { SignedInAccount } from '../people/sessions/session-store.ts';
import { optionsOf } from './form-fields.ts';
import type { Access } from './visit.ts';

/** In the order of the menu, each with the right to see it. */
const SECTIONS = [
  ['Overview', '/dashboard/', 'see'],
  ['Verify', '/dashboard/verify', 'verify'],
  ['Batches', '/dashboard/batches', 'see'],
  ['Keys', '/dashboard/keys', 'see'],
  ['Apps', '/dashboard/apps', 'see'],
  ['Usage', '/dashboard/usage', 'see'],
  ['Audit log', '/dashboard/audit', 'see'],
  ['Members', '/dashboard/members', 'manageMembers'],
  ['Settings', '/dashboard/settings', 'see'],
  ['Security', '/dashboard/security', 'own'],
] as const satisfies readonly (readonly [string, string, Access])[];

/** Whether someone has a right in the account. */
type May = (right: Right) => boolean;

const seenBy = (may: May) =>
  SECTIONS.filter(([, , right]: readonly [string, string, Access]) => right === 'own' || may(right));

/**
 * The links to the sections that the person may see. The page's own section is marked. In a narrow window, they are
 * folded.
 */
export function sections(
  request: FastifyRequest,
  site: Site,
  { may, ...owner }: MenuOwner & { readonly may: May },
): Html {
  // A draft list belongs to the batches.
  const path = (request.routeOptions.url ?? '').replace(/^\/dashboard\/lists/, '/dashboard/batches');
  const isCurrent = (section: string) =>
    section === '/dashboard/' ? path === section : path.startsWith(section);
  const links = seenBy(may).map(
    ([title, section]) =>
      html`<li><a href="${site.link(section)}"${isCurrent(section) && html` aria-current="${path === section ? 'page' : 'true'}"`}>${title}</a></li>`,
  );
  const current = SECTIONS.find(([, section]) => isCurrent(section));
  const list = links.length > 0 && html`<ul>${links}</ul>`;
  return html`<details class="sections-folded turns"><summary><span>Menu${current && html`: <strong>${current[0]}</strong>`}</span></summary>
<nav aria-label="Dashboard">${list}</nav>
${dashboardMenu(request, site, owner)}</details>
<nav class="sections" aria-label="Dashboard">${list}</nav>`;
}

/**
 * A link to the section that a page belongs to, or to the overview. @param path of the page, without its query @param may
 * whether the person has a right. The overview takes the place of a section that they may not see
 */
export function sectionLink(path: string, site: Site, may: May = () => true): Html {
  const own = path.replace(/^\/dashboard\/lists/, '/dashboard/batches');
  const [title, section] =
    seenBy(may).find(([, one]) => one !== '/dashboard/' && `${own}/`.startsWith(`${one}/`)) ?? SECTIONS[0];
  return html`<a class="button" href="${site.link(section)}">Go to ${title}</a>`;
}

/** What the menu shows of the person. */
export interface MenuOwner {
  readonly email: string;
  /** The account of the page. */
  readonly account: SignedInAccount | undefined;
  /** All accounts of the person. */
  readonly accounts: readonly Membership[];
}

/** Who has signed in, the account, and the button to sign out. */
export const dashboardMenu = (request: FastifyRequest, site: Site, owner: MenuOwner): Html =>
  html`<div class="person"><span class="who"><bdi>${owner.email}</bdi></span>
${accountChoice(request, site, owner)}
<form method="post" action="${site.link('/logout')}">${formToken(request)}<button class="small">Sign out</button></form></div>`;

/** Switches between several accounts. A single one is only named, and that only if its address differs from the person's. */
function accountChoice(
  request: FastifyRequest,
  site: Site,
  { email, account, accounts }: MenuOwner,
): Html | undefined {
  if (accounts.length > 1) {
    const choices = accounts.map(({ accountId, ownerEmail }) => [accountId, ownerEmail] as const);
    return html`<form class="row account-choice" method="post" action="${site.link('/dashboard/account')}">${formToken(request)}
<label><span class="unseen">Account</span> <select name="account">${optionsOf(choices, account?.id)}</select></label>
<button class="small">Switch</button></form>`;
  }
  if (account === undefined || account.ownerEmail === email) return undefined;
  return html`<span class="who">Account <bdi>${account.ownerEmail}</bdi></span>`;
}
