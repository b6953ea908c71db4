/** Lists the browsers in which the person is signed in, and ends their sessions. */

import { digestOf } from '../../../shared/sha256.ts';
import { recordAuditEvent } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import type { Deps } from '../../deps/deps.ts';
import { type Html, html, type Value } from '../../pages/html.ts';
import { hidden } from '../../pages/page-layout.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import {
  endOtherSessions,
  endSessionOf,
  type ListedSession,
  listSessions,
} from '../../people/sessions/session-store.ts';
import { dataTable } from '../data-table.ts';
import { moment } from '../moment.ts';
import { actorOf, addAction, type DashboardScope, type Visit } from '../visit.ts';
import { browserName } from './browser-name.ts';
import { done, PATH } from './settings-section.ts';

const END = `${PATH}/sessions/end`;
const END_OTHERS = `${PATH}/sessions/end-others`;
const ID = /^[0-9a-f]{64}$/;

export const readSessions = ({ db }: Pick<Deps, 'db'>, { person, request }: Visit) =>
  listSessions(db, person.id, digestOf(request.browser.value));

export function sessionsSection({ request, site }: Visit, sessions: readonly ListedSession[]): Html {
  const token = formToken(request);
  const rowOf = ({ id, user_agent, created_at, seen_at, is_this }: ListedSession): Value[] => {
    const browser = browserName(user_agent);
    return [
      browser,
      moment(created_at),
      is_this ? 'now' : moment(seen_at),
      is_this
        ? html`<span class="note">this browser</span>`
        : html`<form method="post" action="${site.link(END)}">${token}${hidden([['session', id]])}<button class="small">End<span class="unseen"> the session of ${browser}, since ${moment(created_at)}</span></button></form>`,
    ];
  };
  const others = sessions.length - 1;
  return html`<section class="box" aria-labelledby="sessions">
<h2 id="sessions">Sessions</h2>
<p>${
    others > 0
      ? 'You are signed in in these browsers. End every session that you do not recognise. Then change your password.'
      : 'There are no other sessions.'
  }</p>
${dataTable({
  label: 'Signed-in browsers',
  caption: others > 0 ? 'This browser comes first, then the session that was used last.' : 'This browser.',
  columns: ['Browser', 'Signed in', 'Used', 'End'].map((title) => ({ title })),
  rows: sessions.map(rowOf),
})}
${others > 0 && html`<form method="post" action="${site.link(END_OTHERS)}">${token}<button>End all other sessions</button></form>`}
</section>`;
}

export function sessionsActions(scope: DashboardScope, { db }: Pick<Deps, 'db'>): void {
  /** Ends sessions, and writes the log if there were any. @param end returns how many sessions it ended */
  const endAndRecord = (visit: Visit, end: (transaction: Db) => Promise<number>): Promise<number> =>
    db.transaction().execute(async (transaction) => {
      const ended = await end(transaction);
      const { accountId } = visit;
      const event = { accountId, actor: actorOf(visit), details: { ended } };
      if (ended > 0) await recordAuditEvent(transaction, { ...event, action: 'settings.sessions' });
      return ended;
    });

  addAction(scope, END, { right: 'see', back: PATH }, async (visit, fields) => {
    const id = fields.get('session') ?? '';
    if (!ID.test(id)) return visit.notFound('session');
    const ended = await endAndRecord(visit, (transaction) =>
      endSessionOf(transaction, visit.person.id, Buffer.from(id, 'hex')),
    );
    return ended === 0 ? visit.notFound('session') : done(visit, 'session');
  });

  addAction(scope, END_OTHERS, { right: 'see', back: PATH }, async (visit) => {
    const own = digestOf(visit.request.browser.value);
    await endAndRecord(visit, (transaction) => endOtherSessions(transaction, visit.person.id, own));
    return done(visit, 'sessions');
  });
}
