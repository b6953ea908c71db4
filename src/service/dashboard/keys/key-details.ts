/** `/dashboard/keys/:id`: a key, and the actions on it. */
import type { FastifyReply } from 'fastify';
import { isSharedDomain } from '../../config/config-warnings.ts';
import type { Deps } from '../../deps/deps.ts';
import {
  type FormerValue,
  listFormerValues,
  listKeyRefusals,
  type OwnKey,
} from '../../keys/manage/manage-keys-store.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden, problem } from '../../pages/page-layout.ts';
import { findPersonById } from '../../people/persons/person-store.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { done } from '../done.ts';
import { type Sent, selectField } from '../form-fields.ts';
import { moment } from '../moment.ts';
import { rightToChangeKey } from '../own-objects.ts';
import type { Visit } from '../visit.ts';
import { nameField, restrictionFields, seenOf, typedOf } from './key-form.ts';
import { KEYS } from './key-list.ts';
import { refusalList } from './key-refusals.ts';
import { CAPTCHAS, kindOf, lastUse, nameOf, shortValue, spendingOf, stateOf } from './key-words.ts';
import { sharedWarning } from './reveal-key.ts';

const DONE = {
  changed: 'The key was changed. The change takes effect within a second.',
  unchanged: 'The key already had these settings.',
  exists: 'This key already exists. Its value was shown once. If you do not have it, roll the key.',
  'rolled-before':
    'The key was already rolled, so it was not rolled again. The new value was shown once. If you do not have it, roll the key again.',
  ended: 'The old value no longer works.',
};

/** By the value of the field. The last is the longest allowed. */
export const OVERLAPS: readonly (readonly [string, string])[] = [
  ['0', 'stops at once'],
  ['3600', 'works for another hour'],
  ['86400', 'works for another day'],
  ['604800', 'works for another 7 days'],
];

/** @param sent a form that was not accepted */
export async function sendKey(
  visit: Visit,
  { db }: Pick<Deps, 'db'>,
  key: OwnKey,
  sent?: Sent,
): Promise<FastifyReply> {
  const { accountId, reply, request, site, send } = visit;
  const [former, refusals] = await Promise.all([
    listFormerValues(db, accountId),
    listKeyRefusals(db, accountId, key.id),
  ]);
  const ofKey = former.filter(({ key_id }) => key_id === key.id);
  const path = site.link(`${KEYS}/${key.id}`);
  const token = formToken(request);
  const mayChange = rightToChangeKey(visit, key) === undefined;
  const maker = key.made_by === null ? undefined : await findPersonById(db, key.made_by);
  if (sent) reply.code(422);
  return send({
    title: nameOf(key),
    main: html`<p class="back"><a href="${site.link(KEYS)}">Keys</a></p>
<div class="split"><h1><bdi>${nameOf(key)}</bdi></h1>
${key.kind === 'public' && !key.revoked_at && html`<a class="button" href="${path}/snippet">Snippet for your pages</a>`}</div>
${problem(sent && `${sent.fault.message} The key was not changed.`)}
${!sent && done(visit, DONE)}
${key.trusted_domains.filter(isSharedDomain).map(sharedWarning)}
${facts(key, ofKey, maker?.email)}
${refusalList(key, refusals, mayChange ? { action: `${path}/trust`, token } : undefined)}
${mayChange && (key.revoked_at ? html`<p>A revoked key cannot be restored. Create a new one instead.</p>` : forms(key, ofKey, path, token, sent))}`,
  });
}

function facts(key: OwnKey, former: readonly FormerValue[], maker: string | undefined): Html {
  const list = (entries: readonly string[]) =>
    entries.map((entry, index) => html`${index > 0 && html`<br>`}<bdi>${entry}</bdi>`);
  return html`<section class="box" aria-label="Facts"><dl>
<dt>Key</dt><dd><code>${shortValue(key)}</code></dd>
<dt>Kind</dt><dd>${kindOf(key)}</dd>
<dt>State</dt><dd>${stateOf(key, former)}</dd>
<dt>${key.kind === 'public' ? 'Trusted domains' : 'Trusted IP addresses'}</dt>
<dd>${key.kind === 'public' ? list(key.trusted_domains) : key.trusted_ips.length > 0 ? list(key.trusted_ips) : 'none, so it works from every IP address'}</dd>
${key.kind === 'public' && html`<dt>Captcha</dt><dd>${key.captcha_provider ? CAPTCHAS[key.captcha_provider] : 'none'}</dd>`}
${key.kind === 'public' && key.mode === 'live' && html`<dt>Credits today (UTC)</dt><dd>${spendingOf(key)}</dd>`}
<dt>Last used</dt><dd>${lastUse(key)}</dd>
<dt>Created</dt><dd>${moment(key.created_at)}${maker !== undefined && html` by <bdi>${maker}</bdi>`}</dd>
<dt>Id</dt><dd><code>${key.id}</code></dd>
</dl></section>`;
}

function forms(key: OwnKey, former: readonly FormerValue[], path: string, token: Html[], sent?: Sent): Html {
  const shown = { typed: sent?.typed ?? typedOf(key), fault: sent?.fault, stored: key };
  return html`<form class="box settings" method="post" action="${path}" aria-labelledby="change-title">
<h2 id="change-title">Name and restrictions</h2>
${token}
${hidden([['seen', seenOf(key)]])}
${nameField(shown)}
${restrictionFields(key.kind, shown)}
<p><button class="primary">Save</button></p>
</form>
<section class="box" aria-labelledby="roll-title">
<h2 id="roll-title">Roll</h2>
<p>Roll the key if others may know it. It gets a new value, and keeps its id and settings.</p>
${former.map((value) => html`<p class="warning">The old value <code>${shortValue({ ...key, last4: value.last4 })}</code> works until ${moment(value.expires_at)}.</p>`)}
${former.length > 0 && html`<form method="post" action="${path}/end-old">${token}<button>End old values now</button></form>`}
<form class="settings" method="post" action="${path}/roll">
${token}
${hidden([['since', key.value_since.toISOString()]])}
${selectField({ label: 'The old value', name: 'overlap', value: '86400', choices: OVERLAPS, fault: sent?.fault })}
<p><button>Roll key</button></p>
</form></section>
<details class="danger box"><summary>Revoke…</summary>
<p>The key stops working for good, within a second, on every page and in every program that uses it. This cannot be undone.
${usage(key)}</p>
<form method="post" action="${path}/revoke">${token}<button class="danger">Revoke key</button></form>
</details>`;
}

function usage(key: OwnKey): Html {
  const last = key.last_used_at
    ? html`It was last used ${moment(key.last_used_at)}.`
    : html`It was never used.`;
  const count = key.trusted_domains.length;
  return html`${last}${key.kind === 'public' && html` Pages of ${count === 1 ? '1 domain' : `${count} domains`} may use it.`}`;
}
