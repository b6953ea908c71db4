/** The secret that signs callbacks: shows it, rolls it with an overlap, and explains how to check a signature. */
import { type AuditEvent, recordAuditEvent } from '../../audit/audit-store.ts';
import { type Html, html } from '../../pages/html.ts';
import { endFormerCallbackSecret, rollCallbackSecret } from '../../people/accounts/account-store.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { guardedActions } from '../guarded-form.ts';
import { moment } from '../moment.ts';
import { actorOf, addAction, type DashboardDeps, type DashboardScope, type Visit } from '../visit.ts';
import { done, PATH } from './settings-section.ts';

const ROLL = `${PATH}/callback-secret/roll`;
const SHOW = `${PATH}/callback-secret/show`;
const END = `${PATH}/callback-secret/end-former`;

/** As in docs/batch.md. */
const SAMPLE = `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.CALLBACK_SECRET);

// Throws if the signature is wrong. \`body\` is the text of the request, before it is parsed.
const batch = webhook.verify(body, headers);`;

export interface Shown {
  /** Whether the page may have the secret, because the person has typed the password a short while ago. */
  readonly isAllowed: boolean;
  /** Whether the person has just asked for it. */
  readonly isOpen: boolean;
}

/** @param secret the current one @param formerUntil until when the old secret also signs */
export function callbacksSection(
  { request, site }: Visit,
  secret: string | undefined,
  formerUntil: Date | undefined,
  { isAllowed, isOpen }: Shown,
): Html {
  const token = formToken(request);
  return html`<section class="box" aria-labelledby="callbacks">
<h2 id="callbacks">Callback secret</h2>
<p>It signs the callbacks of your batches, so that your server can tell them from forged ones.</p>
${
  isAllowed
    ? html`<details${isOpen && html` open`}><summary>Show the secret</summary>
<p><code class="code" id="callback-secret">${secret}</code></p>
<p><button type="button" class="small" data-copy="callback-secret" hidden>Copy the secret</button></p></details>`
    : html`<form method="post" action="${site.link(SHOW)}">${token}<button>Show the secret</button></form>`
}
<details><summary>How to check a signature</summary>
<p>Callbacks are signed by the <a href="https://www.standardwebhooks.com">Standard Webhooks</a> specification, which has libraries for most languages. In JavaScript:</p>
<pre tabindex="0">${SAMPLE}</pre></details>
${formerUntil && formerSecret(site.link(END), token, formerUntil)}
<details class="danger"><summary>Roll the secret…</summary>
<p>You get a new secret. For 24 hours, callbacks carry two signatures: one by the new secret, and one by the current secret. Put the new secret into your server within that time.${formerUntil && ' The old secret from before stops at once.'}</p>
<form method="post" action="${site.link(ROLL)}">${token}<button class="danger">Roll the secret</button></form></details>
</section>`;
}

const formerSecret = (action: string, token: readonly Html[], until: Date): Html => html`<div class="warning">
<p>The old secret also signs callbacks until ${moment(until)}.</p>
<details class="danger"><summary>End the old secret now…</summary>
<p>Servers that have only the old secret will then refuse callbacks.</p>
<form method="post" action="${action}">${token}<button class="danger">End the old secret now</button></form></details></div>`;

export function callbacksActions(scope: DashboardScope, deps: DashboardDeps): void {
  const { db } = deps;

  const add = guardedActions(scope, deps, { right: 'manageKeys', back: PATH });

  add(SHOW, 'see the callback secret', async (visit) => done(visit, 'secret-shown'));

  add(ROLL, 'roll the callback secret', async (visit) => {
    await db.transaction().execute(async (transaction) => {
      await rollCallbackSecret(transaction, visit.accountId);
      await recordAuditEvent(transaction, event(visit, 'rolled'));
    });
    return done(visit, 'secret');
  });

  addAction(scope, END, { right: 'manageKeys', back: PATH }, async (visit) => {
    await db.transaction().execute(async (transaction) => {
      if (!(await endFormerCallbackSecret(transaction, visit.accountId))) return;
      await recordAuditEvent(transaction, event(visit, 'old one ended'));
    });
    return done(visit, 'former-secret');
  });
}

const event = (visit: Visit, change: string): AuditEvent => ({
  accountId: visit.accountId,
  actor: actorOf(visit),
  action: 'settings.callback-secret',
  details: { change },
});
