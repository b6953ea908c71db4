/** Deletes the account. */
import { deleteAccount } from '../../deletion/delete-account.ts';
import { type Html, html } from '../../pages/html.ts';
import { name, problem } from '../../pages/page-layout.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { ACCOUNT } from '../account/account-page.ts';
import { guardedActions } from '../guarded-form.ts';
import { actorOf, type DashboardDeps, type DashboardScope, type Visit } from '../visit.ts';
import type { SendSettings } from './settings-page.ts';
import { faultOf, PATH, type Said } from './settings-section.ts';

const DELETE = `${PATH}/delete-account`;

export function deletionSection({ ownerEmail, request, site }: Visit, said: Said): Html {
  const fault = faultOf(said, 'deletion');
  return html`<section class="box" aria-labelledby="deletion">
<h2 id="deletion">Delete this account</h2>
<p>For everybody, and at once: keys, apps and callbacks stop, running batches end, and results, lists, the audit log and the credits that are left are deleted. This cannot be undone. Download what you need first. Members keep their sign-in, and lose this account.</p>
${problem(fault)}
<details class="danger"${fault !== undefined && html` open`}><summary>Delete this account…</summary>
<form class="fields" method="post" action="${site.link(DELETE)}">${formToken(request)}
<p class="field"><label for="whole-account">Address of the account</label>
<input id="whole-account" name="account" autocomplete="off" autocapitalize="none" spellcheck="false"${fault !== undefined && html` aria-invalid="true" autofocus`} aria-describedby="${fault === undefined ? '' : 'problem '}whole-account-rule"></p>
<p class="note" id="whole-account-rule">Type ${name(ownerEmail)}, so that no other account is deleted by mistake.</p>
<p><button class="danger">Delete this account</button></p></form></details></section>`;
}

export function deletionAction(scope: DashboardScope, deps: DashboardDeps, send: SendSettings): void {
  const add = guardedActions(scope, deps, { right: 'deleteAccount', back: PATH });

  add(DELETE, 'delete this account', async (visit, typed) => {
    const { accountId, ownerEmail, reply } = visit;
    if ((typed.get('account') ?? '').trim().toLowerCase() !== ownerEmail.toLowerCase()) {
      reply.code(422);
      const text = `Expected ${ownerEmail}, the address of this account, got something else. Nothing was deleted.`;
      return send(visit, { fault: { section: 'deletion', text } });
    }
    await deleteAccount(deps.db, accountId, undefined, actorOf(visit));
    return visit.goTo(`${ACCOUNT}?done=deleted#said`);
  });
}
