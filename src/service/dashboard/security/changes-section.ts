/** What has changed of the person's ways in and accounts: a notice on every page after a sign-in, and a list of the latest. */
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../../deps/deps.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { dismissNews, type ListedEvent, listNews } from '../../people/persons/person-event-store.ts';
import { PERSON_EVENTS } from '../../people/persons/person-events.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { moment } from '../moment.ts';
import { addAction, type DashboardScope, type PersonVisit } from '../visit.ts';
import { PATH } from './security-section.ts';

const DISMISS = `${PATH}/news/dismiss`;
/** The notice names the latest ones. */
const MOST_NEWS = 10;
/** The list on the page of security. */
export const MOST_CHANGES = 30;

/** The notice, until the person dismisses it. Undefined if nothing has changed. */
export async function newsNotice(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  request: FastifyRequest,
): Promise<Html | undefined> {
  const { signedIn } = request.browser;
  if (!signedIn?.hasNews) return undefined;
  const { email, sessionId } = signedIn;
  const news = await listNews(db, sessionId, MOST_NEWS + 1);
  if (news.length === 0) return undefined;
  return html`<section class="warning" id="news" aria-labelledby="news-title">
<h2 id="news-title">Changed since your last sign-in</h2>
<ul>${news.slice(0, MOST_NEWS).map((event) => html`<li>${wordsOf(event, email)}</li>`)}</ul>
${news.length > MOST_NEWS && html`<p>There was more. <a href="${site.link(`${PATH}#changes`)}">See all changes</a></p>`}
<p>If you do not recognise a change, <a href="${site.link(PATH)}">change your password and end all other sessions</a>.</p>
<form method="post" action="${site.link(DISMISS)}">${formToken(request)}<button class="small">Dismiss</button></form>
</section>`;
}

/** The latest changes, dismissed or not. */
export const changesSection = ({ person }: PersonVisit, events: readonly ListedEvent[]): Html =>
  html`<section class="box" aria-labelledby="changes">
<h2 id="changes">Changes</h2>
${
  events.length === 0
    ? html`<p>Nothing has changed yet.</p>`
    : html`<ul>${events.map((event) => html`<li>${wordsOf(event, person.email)}</li>`)}</ul>`
}</section>`;

function wordsOf({ event, subject, actor_kind, actor_name, created_at }: ListedEvent, email: string): Html {
  const [before = '', after] = (
    Object.hasOwn(PERSON_EVENTS, event) ? PERSON_EVENTS[event as keyof typeof PERSON_EVENTS] : event
  ).split('@');
  const what = after === undefined ? before : html`${before}<bdi>${subject ?? ''}</bdi>${after}`;
  return html`${moment(created_at)}: ${what} ${byWhom(actor_kind, actor_name, email)}`;
}

function byWhom(kind: string, name: string | null, email: string): Html | string {
  if (kind === 'operator') return 'The operator of this service did it.';
  if (kind !== 'owner' || name === null) return '';
  return name === email ? 'You did it.' : html`<bdi>${name}</bdi> did it.`;
}

export function newsActions(scope: DashboardScope, { db }: Pick<Deps, 'db'>): void {
  addAction(scope, DISMISS, { right: 'own', back: PATH }, async (visit) => {
    await dismissNews(db, visit.request.browser.signedIn!.sessionId);
    return visit.goTo(`${PATH}?done=dismissed#said`);
  });
}
