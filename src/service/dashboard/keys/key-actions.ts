/** The actions on the page of a key: change, trust, roll, end old values, revoke. Also the page of its snippet. */
import type { FastifyReply } from 'fastify';
import { queryParameters } from '../../http/parameters.ts';
import { KEY_ID } from '../../keys/key-store.ts';
import {
  type Changed,
  changeKey,
  endOverlap,
  giveNewValue,
  settingsOf,
  stopKey,
} from '../../keys/manage/manage-keys.ts';
import { findOwnKey, type KeySettings, type OwnKey } from '../../keys/manage/manage-keys-store.ts';
import { html } from '../../pages/html.ts';
import type { Fault, Fields } from '../form-fields.ts';
import { guard } from '../guarded-form.ts';
import { rightToChangeKey } from '../own-objects.ts';
import {
  actorOf,
  addAction,
  addPage,
  type DashboardDeps,
  type DashboardScope,
  type Visit,
} from '../visit.ts';
import { OVERLAPS, sendKey } from './key-details.ts';
import { seenOf, typedOf } from './key-form.ts';
import { KEYS } from './key-list.ts';
import { trustable } from './key-refusals.ts';
import { readChosen } from './key-snippet.ts';
import { nameOf } from './key-words.ts';
import { readSettings } from './read-key-form.ts';
import { revealKey } from './reveal-key.ts';
import { playgroundLink, snippetBox } from './snippet-box.ts';

const PATH = `${KEYS}/:id`;
const OUT_OF_DATE: Fault = {
  field: 'seen',
  message: 'The key has changed since you opened this page. Check its settings, then save again.',
};

export function keyPages(scope: DashboardScope, deps: DashboardDeps): void {
  const { db } = deps;

  /** Finds the key in the path, or sends the page “Not found”. */
  async function withKey(visit: Visit, answer: (key: OwnKey) => Promise<FastifyReply>) {
    const { id } = visit.request.params as { id: string };
    const key = KEY_ID.test(id) ? await findOwnKey(db, visit.accountId, id) : undefined;
    return key ? answer(key) : visit.notFound('key');
  }

  const show = (path: string, answer: (visit: Visit, key: OwnKey) => Promise<FastifyReply>) =>
    addPage(scope, path, { right: 'see' }, (visit) => withKey(visit, (key) => answer(visit, key)));

  /** A revoked key cannot be changed. */
  const act = (path: string, answer: (visit: Visit, key: OwnKey, fields: Fields) => Promise<FastifyReply>) =>
    addAction(scope, path, { right: 'makeTestKeys', back: KEYS }, (visit, fields) =>
      withKey(visit, async (key) => {
        const missing = rightToChangeKey(visit, key);
        if (missing) return visit.forbidden(missing);
        return key.revoked_at ? visit.goTo(pathOf(key)) : answer(visit, key, fields);
      }),
    );

  show(PATH, (visit, key) => sendKey(visit, deps, key));

  const { allowPrivateAddresses: allowAnyUrl } = deps.settings.callbacks;
  const settingsIn = (fields: Fields, stored: OwnKey) =>
    readSettings(fields, { kind: stored.kind, mode: stored.mode, stored, allowAnyUrl });

  /** Asks for the password first if the change needs it. */
  function guardChange(
    visit: Visit,
    key: OwnKey,
    fields: Fields,
    settings: KeySettings | Fault,
    change: (sent: Fields) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    if ('message' in settings || !opensMore(key, settings)) return change(fields);
    return guard(deps, visit, fields, { purpose: 'let this key be used in more ways', act: change });
  }

  act(PATH, (visit, key, fields) =>
    guardChange(visit, key, fields, settingsIn(fields, key), (sent) => change(visit, key, sent)),
  );

  async function change(visit: Visit, key: OwnKey, fields: Fields): Promise<FastifyReply> {
    let fault: Fault | undefined;
    let latest = key;
    const outcome = await changeKey(db, actorOf(visit), named(visit, key), (locked) => {
      latest = locked;
      const settings = fields.get('seen') === seenOf(locked) ? settingsIn(fields, locked) : OUT_OF_DATE;
      if (!('message' in settings)) return settings;
      fault = settings;
      return 'conflict';
    });
    if (fault) return sendKey(visit, deps, latest, { typed: fields, fault });
    return visit.goTo(afterChange(key, outcome));
  }

  act(`${PATH}/trust`, async (visit, key, fields) => {
    const seen_from = fields.get('from') ?? '';
    const entry = trustable(key, { reason: key.kind === 'public' ? 'origin' : 'ip', seen_from });
    if (entry === undefined) return visit.goTo(pathOf(key));
    const list = key.kind === 'public' ? 'trusted_domains' : 'trusted_ips';
    const withEntry = (own: OwnKey) => ({ ...settingsOf(own), [list]: [...new Set([...own[list], entry])] });
    return guardChange(visit, key, fields, withEntry(key), async () =>
      visit.goTo(afterChange(key, await changeKey(db, actorOf(visit), named(visit, key), withEntry))),
    );
  });

  act(`${PATH}/roll`, (visit, key, fields) =>
    guard(deps, visit, fields, { purpose: 'roll this key', act: (sent) => roll(visit, key, sent) }),
  );

  async function roll(visit: Visit, key: OwnKey, fields: Fields): Promise<FastifyReply> {
    const [overlap, words] = OVERLAPS.find(([seconds]) => seconds === fields.get('overlap')) ?? [];
    if (overlap === undefined) {
      const message = 'Choose how long the old value keeps working.';
      return sendKey(visit, deps, key, { typed: typedOf(key), fault: { field: 'overlap', message } });
    }
    const how = { overlapSeconds: Number(overlap), since: fields.get('since') ?? '' };
    const rolled = await giveNewValue(db, actorOf(visit), named(visit, key), how);
    // Usually a reload of the page that showed the value.
    if (rolled === 'rolled before') return visit.goTo(`${pathOf(key)}?done=rolled-before`);
    if (!rolled) return visit.notFound('key');
    const lead = `The key has a new value, and the old one ${words}. Copy the new value now: it is not shown again.`;
    return revealKey(visit, scope, deps, { key: rolled, title: 'Key rolled', lead });
  }

  act(`${PATH}/end-old`, async (visit, key) => {
    await endOverlap(db, actorOf(visit), named(visit, key));
    return visit.goTo(`${pathOf(key)}?done=ended`);
  });

  act(`${PATH}/revoke`, async (visit, key) => {
    await stopKey(db, actorOf(visit), named(visit, key));
    return visit.goTo(`${KEYS}?done=revoked`);
  });

  show(`${PATH}/snippet`, async (visit, key) => {
    if (key.kind !== 'public' || key.revoked_at) return visit.notFound('snippet');
    const query = queryParameters(visit.request);
    const chosen = readChosen((name) => query.get(name)?.[0]);
    const { site } = visit;
    return visit.send({
      title: 'Snippet',
      main: html`<p class="back"><a href="${site.link(pathOf(key))}"><bdi>${nameOf(key)}</bdi></a></p>
<h1>Snippet</h1>
${snippetBox({ key, url: deps.publicUrl.now(), site, chosen })}
${scope.playground && playgroundLink(site, {}, chosen)}`,
    });
  });
}

/**
 * Whether a live key could then be used where or for more than it could before. A thief of the session would still have
 * that when the session is over.
 */
function opensMore(key: OwnKey, settings: KeySettings): boolean {
  const adds = (list: 'trusted_domains' | 'trusted_ips') =>
    settings[list].some((entry) => !key[list].includes(entry));
  // Without trusted IP addresses, a key works from all.
  const opensIps = key.trusted_ips.length > 0 && (settings.trusted_ips.length === 0 || adds('trusted_ips'));
  const opensCaptcha =
    key.captcha_provider !== null &&
    (settings.captcha_provider !== key.captcha_provider || settings.captcha_secret !== key.captcha_secret);
  const [before, after] = [key, settings].map(
    ({ daily_credits }) => daily_credits ?? Number.POSITIVE_INFINITY,
  );
  return key.mode === 'live' && (adds('trusted_domains') || opensIps || opensCaptcha || after! > before!);
}

const pathOf = ({ id }: OwnKey): string => `${KEYS}/${id}`;
/** If the key was revoked meanwhile, its page shows that. */
const afterChange = (key: OwnKey, outcome: Changed): string =>
  outcome === 'no such key' ? pathOf(key) : `${pathOf(key)}?done=${outcome}`;

const named = ({ accountId }: Visit, { id }: OwnKey) => ({ id, accountId });
