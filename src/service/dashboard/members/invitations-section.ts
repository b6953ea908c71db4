/** Invites people into the account, lists the open invitations, and withdraws them. */
import type { FastifyReply } from 'fastify';
import { isAddress } from '../../../engine/address/syntax.ts';
import { lasting } from '../../core/format.ts';
import { type Html, html, type Value } from '../../pages/html.ts';
import { hidden, outcome, problem } from '../../pages/page-layout.ts';
import type { OpenInvitation } from '../../people/members/invitation-store.ts';
import {
  INVITATION,
  type Invited,
  invite,
  isInvitationId,
  MOST_INVITATIONS,
  makeInvitationId,
  withdraw,
} from '../../people/members/invitations.ts';
import { asRole, ROLE_NAMES } from '../../people/members/role-words.ts';
import { rightOver } from '../../people/members/roles.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { dataTable } from '../data-table.ts';
import { type Fault, type Fields, LONGEST_ADDRESS, selectField, textField } from '../form-fields.ts';
import { guard, guardedActions } from '../guarded-form.ts';
import { moment } from '../moment.ts';
import { addAction, type DashboardDeps, type DashboardScope, type Visit } from '../visit.ts';
import type { MembersShown } from './members-page.ts';
import { isRole, MEMBERS, managerOf, rolesFor } from './members-shared.ts';

const INVITE = `${MEMBERS}/invite`;
const WITHDRAW = `${MEMBERS}/withdraw`;

/** The form as it is shown again. */
export interface InviteForm {
  readonly typed: Fields;
  readonly fault?: Fault;
}

const DEFAULT_ROLE = 'member';

export function invitationsSection(
  visit: Visit,
  invitations: readonly OpenInvitation[],
  { typed, fault }: InviteForm = { typed: new Map() },
): Html {
  const { site, request } = visit;
  return html`<section class="box" aria-labelledby="invitations">
<h2 id="invitations">Invitations</h2>
<p>The service sends no mail. It shows you a link once, and you pass it on. Only somebody with this address can accept it.</p>
${problem(fault && `${fault.message} Nobody was invited.`)}
<form class="fields" method="post" action="${site.link(INVITE)}">
${formToken(request)}
${hidden([['id', idIn(typed)]])}
${textField({ label: 'Email', name: 'email', type: 'email', value: typed.get('email') ?? '', isRequired: true, maxLength: LONGEST_ADDRESS, fault })}
${selectField({
  ...{ label: 'Role', name: 'role', fault, value: typed.get('role') ?? DEFAULT_ROLE },
  choices: rolesFor(visit).map((role) => [role, ROLE_NAMES[role]]),
})}
<p><button class="primary">Invite</button></p>
</form>
${invitations.length > 0 ? openTable(visit, invitations) : html`<p class="note">There are no open invitations.</p>`}
</section>`;
}

/** A form that is sent twice makes one invitation. */
function idIn(typed: Fields): string {
  const id = typed.get('id') ?? '';
  return isInvitationId(id) ? id : makeInvitationId();
}

function openTable(visit: Visit, invitations: readonly OpenInvitation[]): Html {
  const { site, request, may } = visit;
  const rowOf = ({ id, email, role, inviter, expires_at }: OpenInvitation): Value[] => [
    html`<bdi>${email}</bdi>`,
    ROLE_NAMES[role],
    html`<bdi>${inviter}</bdi>`,
    moment(expires_at),
    may(rightOver(role)) &&
      html`<form method="post" action="${site.link(WITHDRAW)}">${formToken(request)}${hidden([['invitation', id]])}<button class="small">Withdraw<span class="unseen"> the invitation of ${email}</span></button></form>`,
  ];
  return dataTable({
    label: 'Open invitations',
    caption: 'Open invitations, latest first. To get a new link, invite the address again: the old one ends.',
    columns: ['Email', 'Role', 'Invited by', 'Ends', 'Withdraw'],
    rows: invitations.map(rowOf),
  });
}

export function invitationsActions(
  scope: DashboardScope,
  deps: DashboardDeps,
  send: (visit: Visit, shown: MembersShown) => Promise<FastifyReply>,
): void {
  addAction(scope, INVITE, { right: 'manageMembers', back: MEMBERS }, (visit, fields) =>
    guard(deps, visit, fields, {
      purpose: 'invite somebody',
      act: (typed) => inviteTyped(visit, typed),
      resume: (typed) => send(visit, { invite: { typed } }),
    }),
  );

  async function inviteTyped(visit: Visit, typed: Fields): Promise<FastifyReply> {
    const email = (typed.get('email') ?? '').trim();
    const role = typed.get('role') ?? '';
    const refuse = (fault: Fault, status = 422) => {
      visit.reply.code(status);
      return send(visit, { invite: { typed, fault } });
    };
    if (email.length > LONGEST_ADDRESS || !isAddress(email))
      return refuse({ field: 'email', message: 'Expected an email address such as ada@example.com.' });
    if (!isRole(role)) return refuse({ field: 'role', message: 'Choose a role.' });
    const invited = await invite(deps, managerOf(visit), { id: idIn(typed), email, role });
    if (invited.kind === 'before') return visit.goTo(`${MEMBERS}?done=invited-before#said`);
    if (invited.kind !== 'invited') {
      const { status, ...fault } = REFUSALS[invited.kind];
      return refuse(fault, status);
    }
    deps.log('info', 'invitation made', { account: visit.accountId, person: visit.person.id, role });
    return reveal(visit, deps, { email, role, token: invited.token });
  }

  const add = guardedActions(scope, deps, { right: 'manageMembers', back: MEMBERS });

  add(WITHDRAW, 'withdraw an invitation', async (visit, typed) => {
    const id = typed.get('invitation') ?? '';
    const withdrawn = isInvitationId(id) ? await withdraw(deps.db, managerOf(visit), id) : 'gone';
    if (withdrawn === 'gone') return visit.notFound('invitation');
    if (withdrawn === 'not allowed') {
      visit.reply.code(403);
      return send(visit, { fault: `${REFUSALS['not allowed'].message} Nothing was changed.` });
    }
    return visit.goTo(`${MEMBERS}?done=withdrawn#said`);
  });
}

const REFUSALS: Readonly<
  Record<Exclude<Invited['kind'], 'invited' | 'before'>, Fault & { readonly status: number }>
> = {
  member: { field: 'email', message: 'This person is a member already.', status: 409 },
  'too many': {
    field: 'email',
    message: `An account can have at most ${MOST_INVITATIONS} invitations. Withdraw those that you do not need.`,
    status: 409,
  },
  'not allowed': {
    field: 'role',
    message: 'Your role does not allow this. Only an owner invites owners.',
    status: 403,
  },
};

/** Shows the link, once. */
function reveal(
  { site, send }: Visit,
  { publicUrl, settings }: Pick<DashboardDeps, 'publicUrl' | 'settings'>,
  { email, role, token }: { email: string; role: Parameters<typeof asRole>[0]; token: string },
): Promise<FastifyReply> {
  return send({
    title: 'Invitation made',
    main: html`<p class="back"><a href="${site.link(MEMBERS)}">Members</a></p>
<h1>Invitation of <bdi>${email}</bdi></h1>
${outcome('The invitation was made. Copy its link now: it is not shown again.')}
<section class="box" aria-labelledby="link-title">
<h2 id="link-title">The link</h2>
<p class="copied"><code class="code" id="invitation-link">${publicUrl.now()}${INVITATION}/${token}</code>
<button type="button" class="primary" data-copy="invitation-link" hidden>Copy link</button></p>
<p class="note">Pass it on to <bdi>${email}</bdi>, who becomes ${asRole(role)} of this account with it. It works once, within ${inWords(settings.durations.invitation)}. Earlier links for this address have ended.</p>
</section>
<p><a class="button" href="${site.link(MEMBERS)}">Go to Members</a></p>`,
  });
}

const inWords = (seconds: number): string => lasting(new Date(0), new Date(1000 * seconds));
