/** Lists the browsers in which the person is signed in or has been, and ends their sessions. */
import { digestOf } from '../../../shared/sha256.ts';
import { recordAuditEvent } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import type { Deps } from '../../deps/deps.ts';
import { type Html, html, type Value } from '../../pages/html.ts';
import { hidden } from '../../pages/page-layout.ts';
import { membershipsOf } from '../../people/members/member-store.ts';
import { recordPersonEvent } from '../../people/persons/person-events.ts';
import { type ListedBrowser, listBrowsersWithoutSession } from '../../people/sessions/known-browser-store.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import {
  endBrowserOf,
  endOtherSessions,
  endSessionOf,
  type ListedSession,
  listSessions,
} from '../../people/sessions/session-store.ts';
import { dataTable } from '../data-table.ts';
import { guardedActions } from '../guarded-form.ts';
import { moment } from '../moment.ts';
import { actorOf, type DashboardDeps, type DashboardScope, type PersonVisit } from '../visit.ts';
import { browserName } from './browser-name.ts';
import { done, PATH } from './security-section.ts';

const END = `${PATH}/sessions/end`;
const END_OTHERS = `${PATH}/sessions/end-others`;
const END_BROWSER = `${PATH}/browsers/end`;
const ID = /^[0-9a-f]{64}$/;

interface Browsers {
  readonly sessions: readonly ListedSession[];
  /** Known browsers without a session. */
  readonly others: readonly ListedBrowser[];
}

export const readSessions = async (
  { db }: Pick<Deps, 'db'>,
  { person, request }: PersonVisit,
): Promise<Browsers> => ({
  sessions: await listSessions(db, person.id, digestOf(request.browser.value)),
  others: await listBrowsersWithoutSession(db, person.id),
});

export function sessionsSection({ request, site }: PersonVisit, { sessions, others }: Browsers): Html {
  const token = formToken(request);
  const end = (action: string, field: string, id: string, unseen: Html) =>
    html`<form method="post" action="${site.link(action)}">${token}${hidden([[field, id]])}<button class="small">End<span class="unseen"> ${unseen}</span></button></form>`;
  const sessionRow = ({ id, user_agent, network, created_at, seen_at, is_this }: ListedSession): Value[] => {
    const [browser, since] = [browserName(user_agent), moment(created_at)];
    const last = is_this
      ? html`<span class="note">this browser</span>`
      : end(END, 'session', id, html`the session of ${browser}, since ${since}`);
    return [browser, network ?? 'unknown', since, is_this ? 'now' : moment(seen_at), last];
  };
  const browserRow = ({ id, user_agent, network, created_at, used_at }: ListedBrowser): Value[] => {
    const [browser, since] = [browserName(user_agent), moment(created_at)];
    const last = end(END_BROWSER, 'browser', id, html`the browser ${browser}, since ${since}`);
    return [browser, network ?? 'unknown', since, moment(used_at), last];
  };
  const count = sessions.length - 1 + others.length;
  return html`<section class="box" aria-labelledby="sessions">
<h2 id="sessions">Sessions</h2>
<p>${
    sessions.length > 1
      ? 'You are signed in in these browsers. End every session that you do not recognise. Then change your password.'
      : 'There are no other sessions.'
  }</p>
${dataTable({
  label: 'Signed-in browsers',
  caption:
    sessions.length > 1 ? 'This browser comes first, then the session that was used last.' : 'This browser.',
  columns: ['Browser', 'Network', 'Signed in', 'Used', 'End'],
  rows: sessions.map(sessionRow),
})}
${
  others.length > 0 &&
  html`<h3>Known browsers</h3>
<p>You have signed in in these browsers before. Wrong passwords that others type elsewhere do not delay a sign-in there. End those that you no longer use.</p>
${dataTable({
  label: 'Known browsers',
  caption: 'The browser with the latest sign-in comes first.',
  columns: ['Browser', 'Network', 'First sign-in', 'Latest sign-in', 'End'],
  rows: others.map(browserRow),
})}`
}
${count > 0 && html`<form method="post" action="${site.link(END_OTHERS)}">${token}<button>End all other sessions</button></form>`}
</section>`;
}

export function sessionsActions(scope: DashboardScope, deps: DashboardDeps): void {
  const { db } = deps;

  /** Ends sessions, and records it if there were any. @param end returns how many it ended */
  const endAndRecord = (visit: PersonVisit, end: (transaction: Db) => Promise<number>): Promise<number> =>
    db.transaction().execute(async (transaction) => {
      const ended = await end(transaction);
      if (ended === 0) return 0;
      const { id: personId } = visit.person;
      const actor = actorOf(visit);
      for (const { accountId } of await membershipsOf(transaction, personId)) {
        const event = { accountId, actor, details: { ended } };
        await recordAuditEvent(transaction, { ...event, action: 'settings.sessions' });
      }
      await recordPersonEvent(transaction, { personId, event: 'sessions.ended', by: actor });
      return ended;
    });

  const add = guardedActions(scope, deps, { right: 'own', back: PATH });

  add(END, 'end a session', async (visit, sent) => {
    const id = sent.get('session') ?? '';
    if (!ID.test(id)) return visit.notFound('session');
    const ended = await endAndRecord(visit, (transaction) =>
      endSessionOf(transaction, visit.person.id, Buffer.from(id, 'hex')),
    );
    return ended === 0 ? visit.notFound('session') : done(visit, 'session');
  });

  add(END_BROWSER, 'end a known browser', async (visit, sent) => {
    const id = sent.get('browser') ?? '';
    if (!ID.test(id)) return visit.notFound('browser');
    const ended = await endAndRecord(visit, async (transaction) =>
      (await endBrowserOf(transaction, visit.person.id, Buffer.from(id, 'hex'))) ? 1 : 0,
    );
    return ended === 0 ? visit.notFound('browser') : done(visit, 'browser');
  });

  add(END_OTHERS, 'end all other sessions', async (visit) => {
    const own = digestOf(visit.request.browser.value);
    await endAndRecord(visit, (transaction) => endOtherSessions(transaction, visit.person.id, own));
    return done(visit, 'sessions');
  });
}
