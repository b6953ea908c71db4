/** Revokes the keys and apps that were made since a day, because somebody else may have known the password. */
import type { FastifyReply } from 'fastify';
import type { Db } from '../../database/schema.ts';
import type { Deps } from '../../deps/deps.ts';
import { queryParameters } from '../../http/parameters.ts';
import { stopKey } from '../../keys/manage/manage-keys.ts';
import { listActiveKeys } from '../../keys/manage/manage-keys-store.ts';
import { listApps } from '../../oauth/apps/app-store.ts';
import { removeApp } from '../../oauth/apps/manage/manage-apps.ts';
import { listAuthorisedApps, revokeAuthorisedApp } from '../../oauth/decisions.ts';
import { type Html, html, type Value } from '../../pages/html.ts';
import { hidden, problem } from '../../pages/page-layout.ts';
import { type Membership, membershipsOf } from '../../people/members/member-store.ts';
import { may, type Right } from '../../people/members/roles.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { isDay } from '../charts/utc-days.ts';
import { dataTable } from '../data-table.ts';
import { moment } from '../moment.ts';
import { rightToChangeKey } from '../own-objects.ts';
import { actorOf, addAction, addPage, type DashboardScope, type PersonVisit, type Visit } from '../visit.ts';
import { SINCE } from './password-section.ts';
import { done, PATH } from './security-section.ts';

/** Something that a thief of the password could have made, to come back later. */
interface Made {
  readonly kind: 'key' | 'app' | 'access';
  readonly account: Membership;
  readonly id: string;
  readonly name: string;
  readonly at: Date;
}

const WORDS = { key: 'Key', app: 'Your app', access: 'Access of an app' } as const;

export function sincePages(scope: DashboardScope, { db }: Pick<Deps, 'db'>): void {
  /** In all accounts in which the person may revoke it. */
  async function madeSince({ person }: PersonVisit, day: Date): Promise<Made[]> {
    const found: Made[] = [];
    for (const account of await membershipsOf(db, person.id)) {
      const own = { person, may: (right: Right) => may(account.role, right, scope.members) };
      found.push(...(await madeIn(db, own, account)).filter(({ at }) => at >= day));
    }
    return found;
  }

  async function send(visit: PersonVisit, typed: string | undefined): Promise<FastifyReply> {
    const day = typed === undefined ? undefined : readDay(typed);
    const fault =
      typed !== undefined && day === undefined ? 'Expected a day, such as 2026-01-31.' : undefined;
    if (fault !== undefined) visit.reply.code(422);
    return visit.send({
      title: fault === undefined ? 'Revoke keys and apps' : 'Not found',
      main: html`<h1>Revoke keys and apps</h1>
${problem(fault)}
<p>If somebody else knew your password, they may have made keys and apps, with which they come in without it. Choose the day since which that can have been. You see what was made since then, and nothing happens before you confirm it.</p>
${sinceForm(visit, typed ?? '', fault !== undefined)}
${day && found(visit, day, await madeSince(visit, day))}`,
    });
  }

  addPage(scope, SINCE, { right: 'own' }, async (visit) => {
    const [typed] = queryParameters(visit.request).get('day') ?? [];
    return send(visit, typed === undefined ? undefined : String(typed));
  });

  addAction(scope, SINCE, { right: 'own', back: SINCE }, async (visit, fields) => {
    const day = readDay(fields.get('day') ?? '');
    if (!day) return send(visit, fields.get('day') ?? '');
    // Only what the person was shown.
    const shown = new Set((fields.get('shown') ?? '').split(' '));
    for (const made of await madeSince(visit, day)) if (shown.has(keyOf(made))) await revoke(visit, made);
    return done(visit, 'revoked');
  });

  async function revoke(visit: PersonVisit, { kind, account: { accountId }, id }: Made): Promise<void> {
    const { person } = visit;
    if (kind === 'key') await stopKey(db, actorOf(visit), { id, accountId });
    else if (kind === 'app') await removeApp(db, actorOf(visit), { clientId: id, accountId });
    else await revokeAuthorisedApp(db, { accountId, personId: person.id, email: person.email }, id);
  }
}

async function madeIn(db: Db, own: Pick<Visit, 'may' | 'person'>, account: Membership): Promise<Made[]> {
  const { accountId } = account;
  const [keys, apps, authorised] = await Promise.all([
    listActiveKeys(db, accountId),
    own.may('manageKeys') ? listApps(db, accountId) : [],
    own.may('manageKeys') ? listAuthorisedApps(db, accountId) : [],
  ]);
  const mine = keys.filter((key) => rightToChangeKey(own, key) === undefined);
  const made = (kind: Made['kind'], id: string, name: string, at: Date) => ({ kind, account, id, name, at });
  return [
    // A key that was rolled has a new value, which whoever rolled it knows.
    ...mine.map((key) => made('key', key.id, key.name ?? `…${key.last4}`, key.value_since ?? key.created_at)),
    ...apps.map(({ client_id, name, created_at }) => made('app', client_id, name, created_at)),
    ...authorised.map(({ clientId, name, since }) => made('access', clientId, name, since)),
  ];
}

const keyOf = ({ kind, account, id }: Made): string => `${kind}:${account.accountId}:${id}`;

/** A day of UTC. */
const readDay = (text: string): Date | undefined => (isDay(text) ? new Date(text) : undefined);

/** Asks for the day. */
const sinceForm = ({ site }: PersonVisit, value: string, isWrong = false): Html =>
  html`<form class="fields" method="get" action="${site.link(SINCE)}">
<p class="field"><label for="since-day">Since (UTC)</label>
<input id="since-day" name="day" type="date" value="${value}" required${isWrong && html` aria-describedby="problem" aria-invalid="true" autofocus`}></p>
<p><button>Show keys and apps</button></p>
</form>`;

function found({ request, site }: PersonVisit, day: Date, made: readonly Made[]): Html {
  if (made.length === 0)
    return html`<p>In your accounts, no key and no app that still works was made since ${moment(day)}.</p>
<p><a class="button" href="${site.link(PATH)}">Back to Security</a></p>`;
  const rowOf = ({ kind, account, name, at }: Made): Value[] => [
    html`<bdi>${name}</bdi>`,
    WORDS[kind],
    html`<bdi>${account.ownerEmail}</bdi>`,
    moment(at),
  ];
  return html`<section aria-labelledby="made">
<h2 id="made">Made since ${moment(day)}</h2>
${dataTable({
  label: 'Keys and apps',
  caption: 'What stops working if you revoke it.',
  columns: ['Name', 'Kind', 'Account', 'Made'],
  rows: made.map(rowOf),
})}
<p>Programs that use a key, and people who use an app, can no longer do so. This cannot be undone.</p>
<form method="post" action="${site.link(SINCE)}">${formToken(request)}
${hidden([['day', day.toISOString().slice(0, 10)]])}${hidden([['shown', made.map(keyOf).join(' ')]])}<button class="danger">Revoke all of these</button></form>
</section>`;
}
