/** `/dashboard/account`: the accounts of the person, and which of them this session shows. */
import type { FastifyReply } from 'fastify';
import type { Deps } from '../../deps/deps.ts';
import { html } from '../../pages/html.ts';
import { hidden, problem } from '../../pages/page-layout.ts';
import { type Membership, membershipsOf } from '../../people/members/member-store.ts';
import { ROLE_NAMES } from '../../people/members/role-words.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { chooseAccount } from '../../people/sessions/session-store.ts';
import { dataTable } from '../data-table.ts';
import { done } from '../done.ts';
import { addAction, addPage, type DashboardScope, type PersonVisit } from '../visit.ts';

export const ACCOUNT = '/dashboard/account';

const DONE = {
  deleted:
    'The account was deleted. Nothing of it works any more, and the rest of its data is gone within minutes.',
  left: 'You have left the account. It is gone from your sessions, and apps have lost the access that you had allowed.',
};

export function accountPages(scope: DashboardScope, { db }: Pick<Deps, 'db'>): void {
  async function send(visit: PersonVisit, fault?: string): Promise<FastifyReply> {
    const memberships = await membershipsOf(db, visit.person.id);
    return visit.send({
      title: fault === undefined ? 'Your accounts' : 'Not changed',
      main: html`<h1>Your accounts</h1>
${fault === undefined && done(visit, DONE)}
${problem(fault, true)}
<p>You sign in as <bdi>${visit.person.email}</bdi>. The choice counts for this browser, until you sign out.</p>
${memberships.length > 0 ? table(visit, memberships) : html`<p class="empty">You are a member of no account. Owners and admins of an account can invite you: tell them your address.</p>`}`,
    });
  }

  addPage(scope, ACCOUNT, { right: 'own' }, (visit) => send(visit));

  addAction(scope, ACCOUNT, { right: 'own', back: ACCOUNT }, async (visit, fields) => {
    const { sessionId } = visit.request.browser.signedIn!;
    const id = fields.get('account') ?? '';
    // No text of the database has this character.
    const isChosen = !id.includes('\0') && (await chooseAccount(db, sessionId, id));
    if (isChosen) return visit.goTo('/dashboard/?done=switched');
    visit.reply.code(404);
    return send(visit, 'You are not a member of this account. Nothing was changed.');
  });
}

const table = ({ site, request, account: own }: PersonVisit, memberships: readonly Membership[]) =>
  dataTable({
    label: 'Your accounts',
    caption: 'The one that you joined first comes first.',
    columns: ['Account', 'Your role', 'Shown'],
    rows: memberships.map(({ accountId, ownerEmail, role }) => [
      html`<bdi>${ownerEmail}</bdi>`,
      ROLE_NAMES[role],
      accountId === own?.id
        ? html`<span class="note">in this browser</span>`
        : html`<form method="post" action="${site.link(ACCOUNT)}">${formToken(request)}${hidden([['account', accountId]])}<button class="small">Switch<span class="unseen"> to ${ownerEmail}</span></button></form>`,
    ]),
  });
