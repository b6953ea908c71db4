/** A signed-in person on a page of the dashboard, and the tools to build the page. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import type { Verifier } from '../../engine/verifier.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { MemberSettings } from '../config/sections/members-section.ts';
import { Failure } from '../core/failures.ts';
import { createSlots, type Slots } from '../core/slots.ts';
import type { UntilUnlocked } from '../credits/unlocked.ts';
import type { Deps } from '../deps/deps.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import type { Reader } from '../lists/reading/list-reader.ts';
import { sendErrorPage, sendPage } from '../pages/error-page.ts';
import { type Html, html } from '../pages/html.ts';
import type { Site } from '../pages/page-urls.ts';
import type { Membership } from '../people/members/member-store.ts';
import { may as hasRight, type Right, type Role } from '../people/members/roles.ts';
import type { Someone } from '../people/persons/person-store.ts';
import type { Provider } from '../people/provider/provider.ts';
import { readForm } from '../people/sessions/page-forms.ts';
import type { SignedInAccount } from '../people/sessions/session-store.ts';
import type { Passwords } from '../people/sign-in/passwords.ts';
import { sendSignInForm } from '../people/sign-in/sign-in-form.ts';
import { letScriptsRun } from '../people/sign-in/sign-in-ways.ts';
import type { LiveVerifications } from '../verify/live/live-verifications.ts';
import { dashboardMenu, sectionLink, sections } from './dashboard-frame.ts';
import { sendForbidden } from './forbidden-page.ts';
import type { Fields } from './form-fields.ts';

/** What the pages of the dashboard need beyond the shared record. Each has state of its own. */
export interface DashboardDeps extends Deps {
  /** Absent without a verifier for live keys. */
  readonly live: LiveVerifications | undefined;
  readonly rateLimit: RateLimit;
  /** Reads lists that are uploaded. */
  readonly listReader: Reader;
  readonly passwords: Passwords;
  /** Undefined without single sign-on. */
  readonly provider: Provider | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while a page of the dashboard is made. */
    endTurn: (() => void) | undefined;
  }
}

/** What the pages of the dashboard share. */
export interface DashboardScope {
  readonly app: FastifyInstance;
  /** Whose pages are made at once. */
  readonly turns: Slots;
  readonly site: Site;
  /** The style sheet and the script. */
  readonly head: Html;
  /** Whether this service has the demo's playground. */
  readonly playground: boolean;
  /** How long a download may take, in milliseconds. */
  readonly downloadMs: number;
  /** Returns the sample results of test keys, as at `/v1/verify`. */
  readonly verifySample: Verifier;
  /** What every page of the account tells about its credits. */
  readonly tellLow: (accountId: string) => Promise<Html | undefined>;
  /** What every page tells about changes before this sign-in. */
  readonly tellNews: (request: FastifyRequest) => Promise<Html | undefined>;
  /** The accounts of a person, for the menu of every page. */
  readonly accountsOf: (personId: string) => Promise<readonly Membership[]>;
  readonly untilUnlocked: UntilUnlocked;
  /** What depends on the config in the table of rights. */
  readonly members: MemberSettings;
}

export interface Content {
  readonly title: string;
  readonly main: Html;
  /** Further tags for the head of the page. */
  readonly head?: Html | undefined;
}

/** A request of a signed-in person, for a page that concerns the person alone. There may be no account. */
export interface PersonVisit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly person: Someone;
  /** The account that the person has chosen. */
  readonly account: SignedInAccount | undefined;
  readonly site: Site;
  /** Whether the person has this right in the account. */
  may(right: Right): boolean;
  /** Sends a page with the frame around it. Set another status than 200 on `reply` before. */
  send(content: Content): Promise<FastifyReply>;
  /** Redirects to another page after a change, so that a reload does not repeat it. @param path such as `/dashboard/keys` */
  goTo(path: string): FastifyReply;
  /** Sends the page “Not found”, for something that the account does not have. */
  notFound(what: string): Promise<FastifyReply>;
  /** Sends the page that says what the person may not do. */
  forbidden(right: Right): Promise<FastifyReply>;
}

/** A request of a signed-in person who may do in an account what the page is for. */
export interface Visit extends PersonVisit {
  readonly account: SignedInAccount;
  readonly accountId: string;
  /** The account's unique address, which names it. It need not be the person's. */
  readonly ownerEmail: string;
  readonly role: Role;
}

/** Who may see a page, or send a form: whoever has this right, or with `own` every signed-in person. */
export type Access = Right | 'own';

/** What such a page gets. A page of the person alone gets a visit without an account. */
export type VisitFor<Of extends Access> = Of extends Right ? Visit : PersonVisit;

/** The person in the audit log. */
export const actorOf = ({ person }: Pick<PersonVisit, 'person'>): Actor => ({
  kind: 'owner',
  name: person.email,
});

/** Pages of an account that are made at once. Each may hold a connection of the database, which the API needs, too. */
const MOST_AT_ONCE = 4;
/** How many pages of all accounts wait for these. The account with the most gives way. */
const MOST_WAITING = 100;

/** Ends the turn of a page when it is sent. A download takes long after that. */
export function takeTurns(app: FastifyInstance): Slots {
  app.decorateRequest('endTurn', undefined);
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.endTurn?.();
    request.endTurn = undefined;
    done(null, payload);
  });
  return createSlots({ atOnce: Number.POSITIVE_INFINITY, ofOne: MOST_AT_ONCE, mostWaiting: MOST_WAITING });
}

async function beginTurn({ turns }: DashboardScope, request: FastifyRequest): Promise<void> {
  const { account, personId } = request.browser.signedIn!;
  request.endTurn = await turns.wait({ id: account?.id ?? personId });
  if (request.endTurn) return;
  const message = 'Many pages of your account are being made at the moment. Try again in a moment.';
  throw new Failure('tooManyRequests', message, { 'Retry-After': '1' });
}

/** Adds a page. Visitors must sign in first, and then see the page if they have the right. */
export function addPage<Of extends Access>(
  scope: DashboardScope,
  path: string,
  { right, ...options }: RouteShorthandOptions & { readonly right: Of },
  answer: (visit: VisitFor<Of>) => Promise<FastifyReply>,
): void {
  scope.app.get(path, options, async (request, reply) => {
    if (!request.browser.signedIn) return sendSignInForm(reply, scope.site, { returnTo: request.url });
    await beginTurn(scope, request);
    return letIn(scope, reply, right, answer);
  });
}

/** What the action of a form asks for. */
export interface ActionOptions<Of extends Access> {
  readonly right: Of;
  /** The page with the form. */
  readonly back: string;
}

/**
 * Adds the action of a form.
 *
 * It runs only if this browser was shown the form, and its person is still signed in and has the right. Other forms are
 * refused. Most actions change something of the account, so they wait for a locked one without a connection.
 */
export function addAction<Of extends Access>(
  scope: DashboardScope,
  path: string,
  { right, back }: ActionOptions<Of>,
  act: (visit: VisitFor<Of>, fields: Fields) => Promise<FastifyReply>,
): void {
  scope.app.post(path, async (request, reply) => {
    const { fields, isOwn } = await readForm(request);
    if (!request.browser.signedIn || !isOwn) return refuse(scope, reply, back);
    const { account } = request.browser.signedIn;
    if (account) await scope.untilUnlocked(account.id);
    await beginTurn(scope, request);
    return letIn(scope, reply, right, (visit) => act(visit, fields));
  });
}

/** Lets a signed-in person in who has the right, and says to others what they may not do. */
export async function letIn<Of extends Access>(
  scope: DashboardScope,
  reply: FastifyReply,
  right: Of,
  answer: (visit: VisitFor<Of>) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const visit = visitOf(scope, reply);
  const { account } = visit;
  if (right === 'own') return answer(visit as VisitFor<Of>);
  if (account === undefined || !visit.may(right)) return visit.forbidden(right);
  const { id: accountId, ownerEmail, role } = account;
  return answer({ ...visit, account, accountId, ownerEmail, role } as VisitFor<Of>);
}

/** Refuses a form after its session has ended, or from an outdated page. */
export function refuse({ site }: DashboardScope, reply: FastifyReply, back: string): FastifyReply {
  if (!reply.request.browser.signedIn) {
    const fault = 'Your session has ended, so your change was not made. Sign in, then try again.';
    return sendSignInForm(reply.code(403), site, { returnTo: back, fault });
  }
  return sendErrorPage(reply, site, {
    status: 403,
    title: 'Your change was not made',
    message:
      'The page was out of date, because you have signed in again or switched to another account since it was opened.',
    more: html`<p><a class="button" href="${site.link(back)}">Open the page again</a></p>`,
  });
}

/** The path of the request, below that of the public URL. */
export const pathOf = ({ url }: FastifyRequest): string => url.replace(/[?#].*$/s, '');

/** Answers every other URL below `/dashboard/`. The response does not depend on the account. */
export function addMissingPage(scope: DashboardScope): void {
  const { app, site } = scope;
  app.get('/dashboard/*', async (request, reply) => {
    const main = html`<h1>Not found</h1>
<p>This page does not exist.</p>
<p>${sectionLink(pathOf(request), site)}</p>`;
    reply.code(404);
    if (request.browser.signedIn) return visitOf(scope, reply).send({ title: 'Not found', main });
    return sendPage(reply, site, { title: 'Not found', main, isNarrow: true });
  });
}

export function visitOf(scope: DashboardScope, reply: FastifyReply): PersonVisit {
  const { request } = reply;
  const { site, head, tellLow, tellNews, accountsOf, members } = scope;
  const { account, personId: id, email } = request.browser.signedIn!;
  const may = (right: Right) => account !== undefined && hasRight(account.role, right, members);
  const send = async ({ title, main, head: own }: Content): Promise<FastifyReply> => {
    const low = account && (await tellLow(account.id));
    const news = await tellNews(request);
    const owner = { email, account, accounts: await accountsOf(id) };
    letScriptsRun(reply);
    const top = { path: pathOf(request), view: 'colours' as const, own: dashboardMenu(request, site, owner) };
    return sendPage(reply, site, {
      ...{ title, part: 'Dashboard', top, main: html`${news}${low}${main}`, head: html`${head}${own}` },
      side: sections(request, site, { ...owner, may }),
    });
  };
  const visit: PersonVisit = {
    ...{ request, reply, person: { id, email }, account, site, may, send },
    goTo: (path) => reply.redirect(site.link(path), 303),
    notFound: (what) => {
      reply.code(404);
      return send({
        title: 'Not found',
        main: html`<h1>Not found</h1>
<p>Your account has no such ${what}. It may have been deleted.</p>
<p>${sectionLink(pathOf(request), site)}</p>`,
      });
    },
    forbidden: (right) => sendForbidden(visit, right),
  };
  return visit;
}
