/** `/dashboard/keys`: all keys, with their restrictions, last use and refusals. */
import type { Deps } from '../../deps/deps.ts';
import {
  type FormerValue,
  type KeyRefusal,
  listFormerValues,
  listKeyRefusals,
  listOwnKeys,
  type OwnKey,
} from '../../keys/manage/manage-keys-store.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { dataTable } from '../data-table.ts';
import { done } from '../done.ts';
import { moment } from '../moment.ts';
import { addPage, type DashboardScope } from '../visit.ts';
import { isOpen } from './key-refusals.ts';
import { kindOf, lastUse, nameOf, restrictionsOf, shortValue, stateOf } from './key-words.ts';

export const KEYS = '/dashboard/keys';

const DONE = { revoked: 'The key was revoked. It stops working within a second.' };

export function keyListPage(scope: DashboardScope, { db }: Pick<Deps, 'db'>): void {
  addPage(scope, KEYS, { right: 'see' }, async (visit) => {
    const { accountId, site, may, send } = visit;
    const [{ active, revoked }, former, refusals] = await Promise.all([
      listOwnKeys(db, accountId),
      listFormerValues(db, accountId),
      listKeyRefusals(db, accountId),
    ]);
    const create =
      may('makeTestKeys') &&
      html`<a class="button primary" href="${site.link(`${KEYS}/new`)}">Create key</a>`;
    return send({
      title: 'Keys',
      main: html`<div class="split"><h1>Keys</h1>${active.length > 0 && create}</div>
${done(visit, DONE)}
${active.length > 0 ? table({ keys: active, former, refusals, site, caption: 'Active keys, latest first' }) : empty(create)}
${
  revoked.length > 0 &&
  html`<details class="folded"><summary>Revoked keys (${revoked.length})</summary>
${table({ keys: revoked, former: [], refusals: [], site, caption: 'Revoked keys, latest first' })}</details>`
}`,
    });
  });
}

const empty = (create: Html | false): Html => html`<div class="empty">
<h2>${create ? 'Create your first key' : 'There are no keys'}</h2>
<p>A public key lets the widget verify addresses on your pages. A private key lets your server do so. Start with a test key, which is free.</p>
${create}
</div>`;

const COLUMNS = [
  'Name',
  'Key',
  { title: 'Works for', css: 'entries' },
  'Last used',
  'Created',
  { title: 'State', css: 'entries' },
];

interface Table {
  readonly keys: readonly OwnKey[];
  readonly former: readonly FormerValue[];
  readonly refusals: readonly KeyRefusal[];
  readonly site: Site;
  readonly caption: string;
}

function table({ keys, former, refusals, site, caption }: Table): Html {
  const rows = keys.map((key) => {
    const ofKey = former.filter(({ key_id }) => key_id === key.id);
    const refused = refusals.filter((refusal) => refusal.key_id === key.id && isOpen(key, refusal));
    const name = html`<a href="${site.link(`${KEYS}/${key.id}`)}"><bdi>${nameOf(key)}</bdi></a>${refused.length > 0 && warning(key, refused, site)}`;
    const value = html`${kindOf(key)}<br><code>${shortValue(key)}</code>`;
    return [name, value, restrictionsOf(key), lastUse(key), moment(key.created_at), stateOf(key, ofKey)];
  });
  return dataTable({ label: caption, caption, css: 'keys', columns: COLUMNS, rows });
}

function warning(key: OwnKey, refusals: readonly KeyRefusal[], site: Site): Html {
  const count = refusals.reduce((sum, refusal) => sum + refusal.count, 0);
  const times = count === 1 ? 'once' : `${count} times`;
  return html`<br><a class="refused state risky" href="${site.link(`${KEYS}/${key.id}`)}#refusals" aria-label="${nameOf(key)} was refused ${times} lately: see where from">refused ${times}</a>`;
}
