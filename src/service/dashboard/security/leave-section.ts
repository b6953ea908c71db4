/** Leaves the account of this session. */
import type { Db } from '../../database/schema.ts';
import { type Html, html } from '../../pages/html.ts';
import { name, problem } from '../../pages/page-layout.ts';
import { endMembership } from '../../people/members/end-membership.ts';
import { ownersOf } from '../../people/members/member-store.ts';
import { asRole } from '../../people/members/role-words.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { ACCOUNT } from '../account/account-page.ts';
import { guardedActions } from '../guarded-form.ts';
import { PATH as SETTINGS } from '../settings/settings-section.ts';
import { actorOf, type DashboardDeps, type DashboardScope, type PersonVisit } from '../visit.ts';
import { PATH, type Said, type SendSecurity } from './security-section.ts';

const LEAVE = `${PATH}/leave`;

const ONLY_OWNER = 'An account needs an owner, and you are the only one. Make another member an owner first.';

/** Undefined for a person without an account. */
export async function leaveSection(db: Db, visit: PersonVisit, { fault }: Said): Promise<Html | undefined> {
  const { account, request, site } = visit;
  if (account === undefined) return undefined;
  const { id, ownerEmail, role } = account;
  const form = html`<details class="danger"><summary>Leave this account…</summary>
<p>The account is gone from your sessions at once, and apps lose the access that you have allowed. Batches go on, and so do your keys: revoke those that nobody should use any more. To come back, you need a new invitation.</p>
<form method="post" action="${site.link(LEAVE)}">${formToken(request)}<button class="danger small">Leave this account</button></form></details>`;
  const isKept = role === 'owner' && (await ownersOf(db, id)) === 1;
  return html`<section class="box" aria-labelledby="leave">
<h2 id="leave">This account</h2>
${problem(fault?.section === 'leave' ? fault.text : undefined, true)}
<p>You are ${asRole(role)} of the account of ${name(ownerEmail)}.</p>
${isKept ? html`<p>You cannot leave it. ${ONLY_OWNER} Or <a href="${site.link(SETTINGS)}#deletion">delete the account</a>, for everybody.</p>` : form}
</section>`;
}

export function leaveAction(scope: DashboardScope, deps: DashboardDeps, send: SendSecurity): void {
  const add = guardedActions(scope, deps, { right: 'see', back: PATH });

  add(LEAVE, 'leave this account', async (visit) => {
    const { accountId, person } = visit;
    const end = { accountId, personId: person.id, actor: actorOf(visit) };
    const ended = await endMembership(deps.db, end);
    if (ended !== 'last-owner') return visit.goTo(`${ACCOUNT}?done=left#said`);
    visit.reply.code(409);
    return send(visit, { fault: { section: 'leave', text: `${ONLY_OWNER} Nothing was changed.` } });
  });
}
