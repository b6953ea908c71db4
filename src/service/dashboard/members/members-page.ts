/** `/dashboard/members`: who belongs to the account, and who is invited. */
import type { FastifyReply } from 'fastify';
import { type Html, html, type Value } from '../../pages/html.ts';
import { hidden, problem } from '../../pages/page-layout.ts';
import { listInvitations } from '../../people/members/invitation-store.ts';
import { endMember, type Managed, setRole } from '../../people/members/manage-members.ts';
import { type ListedMember, listMembers } from '../../people/members/member-store.ts';
import { ROLE_NAMES, ROLE_RIGHTS } from '../../people/members/role-words.ts';
import { ROLES, type Role, rightOver } from '../../people/members/roles.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { ACCOUNT } from '../account/account-page.ts';
import { dataTable } from '../data-table.ts';
import { done } from '../done.ts';
import { guardedActions } from '../guarded-form.ts';
import { moment } from '../moment.ts';
import { PATH as SECURITY } from '../security/security-section.ts';
import { addPage, type DashboardDeps, type DashboardScope, type Visit } from '../visit.ts';
import { type InviteForm, invitationsActions, invitationsSection } from './invitations-section.ts';
import { isRole, MEMBERS, managerOf, rolesFor } from './members-shared.ts';

const CHANGE = `${MEMBERS}/role`;
const END = `${MEMBERS}/end`;
const PERSON = /^per_[0-9a-f]{24}$/;

const DONE = {
  role: 'The role was changed. It counts from the next request of the member on. Whoever may no longer allow apps has lost the access that they had allowed.',
  ended:
    'The membership has ended. The person is out of this account, and the tokens that apps got from them for it have ended. Keys go on: revoke those that the person knows.',
  withdrawn: 'The invitation was withdrawn. Its link does not work any more.',
  'invited-before': 'The invitation was made already. Its link was shown once.',
};

const FAULTS: Readonly<Record<Exclude<Managed, 'done'>, { status: number; message: string }>> = {
  'last-owner': {
    status: 409,
    message: 'An account needs an owner, and this is the only one. Make another member an owner first.',
  },
  'not-allowed': {
    status: 403,
    message: 'Your role does not allow this change. Only an owner changes owners.',
  },
  'no-such-member': { status: 404, message: 'The account has no such member any more.' },
};

/** What the page says of a form that was refused. */
export interface MembersShown {
  readonly fault?: string | undefined;
  readonly invite?: InviteForm | undefined;
}

export function membersPages(scope: DashboardScope, deps: DashboardDeps): void {
  const { db } = deps;

  async function send(visit: Visit, { fault, invite }: MembersShown = {}): Promise<FastifyReply> {
    const [members, invitations] = await Promise.all([
      listMembers(db, visit.accountId),
      listInvitations(db, visit.accountId),
    ]);
    const isRefused = fault !== undefined || invite?.fault !== undefined;
    return visit.send({
      title: isRefused ? 'Not changed' : 'Members',
      main: html`<h1>Members</h1>
${done(visit, DONE)}
${problem(fault, true)}
<p>Everybody here signs in with an address and a password of their own. The <a href="${visit.site.link('/dashboard/audit')}">audit log</a> says who did what.</p>
${membersTable(visit, members)}
${rolesList()}
${invitationsSection(visit, invitations, invite)}`,
    });
  }

  addPage(scope, MEMBERS, { right: 'manageMembers' }, (visit) => send(visit));

  const finish = (visit: Visit, result: Managed, what: keyof typeof DONE) => {
    if (result === 'done') return visit.goTo(`${MEMBERS}?done=${what}#said`);
    const { status, message } = FAULTS[result];
    visit.reply.code(status);
    return send(visit, { fault: `${message} Nothing was changed.` });
  };

  const add = guardedActions(scope, deps, { right: 'manageMembers', back: MEMBERS });

  add(CHANGE, 'change the role of a member', async (visit, typed) => {
    const role = typed.get('role') ?? '';
    const personId = typed.get('person') ?? '';
    if (!PERSON.test(personId) || !isRole(role)) return visit.notFound('member');
    return finish(visit, await setRole(db, managerOf(visit), personId, role), 'role');
  });

  add(END, 'end a membership', async (visit, typed) => {
    const personId = typed.get('person') ?? '';
    if (!PERSON.test(personId)) return visit.notFound('member');
    const ended = await endMember(db, managerOf(visit), personId);
    // The page of members is no longer theirs.
    if (ended === 'done' && personId === visit.person.id) return visit.goTo(`${ACCOUNT}?done=left#said`);
    return finish(visit, ended, 'ended');
  });

  invitationsActions(scope, deps, send);
}

function membersTable(visit: Visit, members: readonly ListedMember[]): Html {
  return dataTable({
    label: 'Members',
    caption: 'Owners come first.',
    columns: ['Person', 'Role', 'Since', 'Change'],
    rows: members.map((member) => rowOf(visit, member)),
  });
}

function rowOf(visit: Visit, { personId, email, role, since }: ListedMember): Value[] {
  const { site, request, person } = visit;
  const isOwn = personId === person.id;
  const fields = html`${formToken(request)}${hidden([['person', personId]])}`;
  const select = `role-${personId}`;
  const end = html`<details class="danger"><summary>End membership<span class="unseen"> of ${email}</span>…</summary>
<p><bdi>${email}</bdi> is out of this account at once. To come back, they need a new invitation.</p>
<form method="post" action="${site.link(END)}">${fields}<button class="danger small">End membership<span class="unseen"> of ${email}</span></button></form></details>`;
  const change = html`<form class="row" method="post" action="${site.link(CHANGE)}">${fields}
<label class="unseen" for="${select}">Role of ${email}</label>
<select id="${select}" name="role">${roleOptions(rolesFor(visit), role)}</select>
<button class="small">Change role<span class="unseen"> of ${email}</span></button></form>
${isOwn ? html`<a href="${site.link(`${SECURITY}#leave`)}">Leave this account…</a>` : end}`;
  const who = html`<bdi>${email}</bdi>${isOwn && html` <span class="note">you</span>`}`;
  const refused = html`<span class="note">Only owners change owners.</span>`;
  return [who, ROLE_NAMES[role], moment(since), visit.may(rightOver(role)) ? change : refused];
}

export const roleOptions = (roles: readonly Role[], chosen: Role): Html[] =>
  roles.map(
    (role) => html`<option value="${role}"${role === chosen && html` selected`}>${ROLE_NAMES[role]}</option>`,
  );

const rolesList = (): Html => html`<details class="folded"><summary>What the roles allow</summary>
<dl>${ROLES.map((role) => html`<dt>${ROLE_NAMES[role]}</dt><dd>${ROLE_RIGHTS[role]}.</dd>`)}</dl></details>`;
