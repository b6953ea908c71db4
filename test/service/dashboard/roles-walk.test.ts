/**
 * Every route for people, with every role, with another account's objects, without an account and signed out. The routes
 * are those of the service, so that a new one fails until it has a row here. The rows are written from the table of roles
 * in `docs/dashboard.md`, and not made of the code that they test.
 */
import { randomBytes } from 'node:crypto';
import { Window } from 'happy-dom';
import { expect, it } from 'vitest';
import { insertDrafts } from '../../../src/service/lists/list-store.ts';
import type { Portion } from '../../../src/service/lists/reading/reader-protocol.ts';
import { createApp } from '../../../src/service/oauth/apps/create-app.ts';
import { listMembers, setMember } from '../../../src/service/people/members/member-store.ts';
import { formTokenOf, makeValue } from '../../../src/service/people/sessions/cookie-value.ts';
import { beginSession } from '../../../src/service/people/sessions/sessions.ts';
import { inLong } from '../../in-long.ts';
import { rounds } from '../../long.mjs';
import { storeBatch } from '../support/batch.ts';
import { testDatabase } from '../support/database.ts';
import { settingsWith } from '../support/deps.ts';
import { routesOf } from '../support/routes.ts';
import { startScriptedProvider } from '../support/scripted-provider.ts';
import { type StoredService, startStoredService, storeKey } from '../support/stored-service.ts';
import { makeMember, makePerson, type Person } from '../support/visitor.ts';

const { db } = await testDatabase();

const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
type Role = (typeof ROLES)[number];
const ALL: readonly Role[] = ROLES;
const WORKERS: readonly Role[] = ['owner', 'admin', 'member'];
const HEADS: readonly Role[] = ['owner', 'admin'];

interface Row {
  /** Who may use it. With an object, one that another person has made. */
  readonly may: readonly Role[];
  /** Who may use it with an object that they have made themselves. @default the same */
  readonly mayOwn?: readonly Role[];
  /** What the path names. */
  readonly object?: keyof typeof OBJECTS;
  /** Besides the token of the form. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Whether it concerns the person alone, who needs no account. */
  readonly isPersonal?: true;
  /** What someone who may gets, if that is another status than 200, 303 or 422. */
  readonly status?: number;
}

const sees: Row = { may: ALL };
const personal: Row = { may: ALL, isPersonal: true };
const works: Row = { may: WORKERS };
const leads: Row = { may: HEADS };
const batchOf = { may: HEADS, mayOwn: WORKERS, object: 'batch' } as const;
const listOf = { may: HEADS, mayOwn: WORKERS, object: 'list' } as const;
const keyOf = { may: HEADS, mayOwn: WORKERS, object: 'testKey' } as const;
const appOf = { may: HEADS, object: 'app' } as const;

const ROWS: Readonly<Record<string, Row | readonly Row[]>> = {
  'GET /dashboard/': sees,
  'GET /dashboard/verify': works,
  'POST /dashboard/verify': works,
  'GET /dashboard/verify/result': { ...works, status: 404 },
  'GET /dashboard/verify/several': works,
  'POST /dashboard/verify/several': works,
  'GET /dashboard/verify/several/results': works,
  'GET /dashboard/batches': sees,
  'GET /dashboard/batches/new': works,
  'GET /dashboard/batches/:id': { ...sees, object: 'batch' },
  'GET /dashboard/batches/:id/download': { ...works, object: 'batch' },
  'POST /dashboard/batches/:id/pause': batchOf,
  'POST /dashboard/batches/:id/resume': batchOf,
  'POST /dashboard/batches/:id/rename': batchOf,
  'POST /dashboard/batches/:id/stop': batchOf,
  // It has no callback.
  'POST /dashboard/batches/:id/send-callback': { ...batchOf, status: 404 },
  'POST /dashboard/batches/:id/delete': batchOf,
  'POST /dashboard/lists': { ...works, status: 415 },
  'GET /dashboard/lists/:id': listOf,
  // No column is chosen.
  'POST /dashboard/lists/:id': { ...listOf, status: 400 },
  'POST /dashboard/lists/:id/encoding': listOf,
  'POST /dashboard/lists/:id/discard': listOf,
  'GET /dashboard/keys': sees,
  'GET /dashboard/keys/new': works,
  'POST /dashboard/keys/new': [
    { ...works, fields: { id: `key_${'0'.repeat(24)}`, kind: 'private', mode: 'test' } },
    { ...leads, fields: { id: `key_${'1'.repeat(24)}`, kind: 'private', mode: 'live', name: 'Live' } },
  ],
  'GET /dashboard/keys/:id': { ...sees, object: 'testKey' },
  'GET /dashboard/keys/:id/snippet': { ...sees, object: 'testKey' },
  'POST /dashboard/keys/:id': [keyOf, { ...leads, object: 'liveKey' }],
  'POST /dashboard/keys/:id/trust': [keyOf, { ...leads, object: 'liveKey' }],
  'POST /dashboard/keys/:id/roll': [keyOf, { ...leads, object: 'liveKey' }],
  'POST /dashboard/keys/:id/end-old': [keyOf, { ...leads, object: 'liveKey' }],
  'POST /dashboard/keys/:id/revoke': [keyOf, { ...leads, object: 'liveKey' }],
  'GET /dashboard/apps': sees,
  'POST /dashboard/apps/remove': leads,
  'POST /account/apps': leads,
  'GET /dashboard/apps/new': leads,
  'POST /dashboard/apps/new': leads,
  'GET /dashboard/apps/:clientId': { ...sees, object: 'app' },
  'POST /dashboard/apps/:clientId': appOf,
  'POST /dashboard/apps/:clientId/roll': appOf,
  'POST /dashboard/apps/:clientId/end-old': appOf,
  'POST /dashboard/apps/:clientId/delete': appOf,
  'GET /dashboard/usage': sees,
  'GET /dashboard/usage.csv': sees,
  'POST /dashboard/usage.csv': sees,
  'GET /dashboard/audit': sees,
  'GET /dashboard/audit.csv': sees,
  'POST /dashboard/audit.csv': sees,
  'GET /dashboard/settings': sees,
  'POST /dashboard/settings/callback-secret/show': leads,
  'POST /dashboard/settings/callback-secret/roll': leads,
  'POST /dashboard/settings/callback-secret/end-former': leads,
  'POST /dashboard/settings/notices': leads,
  'POST /dashboard/settings/notices/remove': leads,
  'POST /dashboard/settings/retention': leads,
  // The address of the account is missing.
  'POST /dashboard/settings/delete-account': { may: ['owner'] },
  'GET /dashboard/settings/address': works,
  'POST /dashboard/settings/address': works,
  'POST /dashboard/settings/address/export': works,
  'POST /dashboard/settings/address/erase': leads,
  'GET /dashboard/members': leads,
  'POST /dashboard/members/invite': leads,
  // Nobody and nothing has an empty id.
  'POST /dashboard/members/role': { ...leads, status: 404 },
  'POST /dashboard/members/end': { ...leads, status: 404 },
  'POST /dashboard/members/withdraw': { ...leads, status: 404 },
  'GET /dashboard/account': personal,
  'POST /dashboard/account': { ...personal, status: 404 },
  'GET /dashboard/security': personal,
  'POST /dashboard/security/password': personal,
  'POST /dashboard/security/address': personal,
  'POST /dashboard/security/passkeys': personal,
  'POST /dashboard/security/passkeys/rename': { ...personal, status: 404 },
  'POST /dashboard/security/passkeys/remove': { ...personal, status: 404 },
  'GET /dashboard/security/totp': personal,
  'POST /dashboard/security/totp': personal,
  'POST /dashboard/security/totp/remove': { ...personal, status: 404 },
  'POST /dashboard/security/recovery-codes': personal,
  'POST /dashboard/security/sessions/end': { ...personal, status: 404 },
  'POST /dashboard/security/sessions/end-others': personal,
  'POST /dashboard/security/browsers/end': { ...personal, status: 404 },
  'POST /dashboard/security/news/dismiss': personal,
  'GET /dashboard/security/since': personal,
  'POST /dashboard/security/since': personal,
  'POST /dashboard/security/leave': { ...sees, status: 409 },
  'GET /oauth/device': leads,
  'POST /oauth/device': leads,
};

/** Where people come in. Everybody gets this status there without the secret of the path or of the form. */
const SIGNING_IN: Readonly<Record<string, number>> = {
  'POST /login/second-step': 403,
  'GET /login/passkey': 200,
  'POST /login/passkey': 403,
  'GET /login/link/:token': 404,
  'POST /login/link/:token': 404,
  'GET /invitation/:token': 404,
  'POST /invitation/:token': 404,
  'GET /login/oidc': 303,
  'POST /login/oidc': 403,
  'GET /login/oidc/callback': 403,
  'POST /login/oidc/logout': 400,
};

/** Without a right: for everybody, or with credentials of their own. */
const WITHOUT_ROLE: readonly string[] = [
  ...['GET /login', 'POST /login', 'POST /logout', 'GET /dashboard', 'GET /dashboard/*', 'GET /account/apps'],
  // They lead to the page of security.
  ...['password', 'sessions/end', 'sessions/end-others'].map((name) => `POST /dashboard/settings/${name}`),
  // Asked with a request of an app. `authorize-page.test.ts` tests them with each role.
  ...['GET /oauth/authorize', 'POST /oauth/authorize'],
  ...['POST /oauth/token', 'POST /oauth/device/code', 'POST /oauth/revoke'],
  ...['GET /v1/verify', 'POST /v1/verify', 'GET /v1/verify/explain', 'GET /v1/account', 'GET /v1/batch'],
  ...['POST /v1/batch', 'GET /download/:file', 'GET /healthz', 'GET /readyz', 'GET /logo.svg'],
  ...[
    'GET /house.css',
    'GET /view.js',
    'GET /.well-known/oauth-authorization-server',
    'GET /.well-known/jwks.json',
  ],
];
/** Files that have the digest of their content in their name. */
const STYLE = /^GET \/[\w/]+-[\w-]{12}\.(css|js|svg)$/;

async function* portions(): AsyncGenerator<Portion> {
  const json = JSON.stringify([['Ada', 'ada@b.example']]);
  yield { table: 0, from: 0, json, numbers: '[null]', hidden: [], isLast: true } as unknown as Portion;
}

type Make = (accountId: string, madeBy: string) => Promise<string>;

/** Each makes an object for one request. @returns its id in the path */
const OBJECTS = {
  batch: (accountId, madeBy) => storeBatch(db, accountId, ['ada@b.example'], { mode: 'test', madeBy }),
  testKey: async (accountId, madeBy) =>
    (await storeKey(db, accountId, { kind: 'public', mode: 'test', made_by: madeBy }, value())).id,
  liveKey: async (accountId, madeBy) =>
    (await storeKey(db, accountId, { kind: 'public', mode: 'live', made_by: madeBy }, value())).id,
  list: (accountId, madeBy) => {
    const table = { columns: 2, rows: 1, titles: null, header: null, addressColumn: 1 };
    const facts = { tables: [{ ...table, addresses: [0, 1], longest: [3, 13] }], chosen: 0 };
    return insertDrafts(db, { accountId, madeBy, name: 'a.csv', facts, keptSeconds: 600 }, portions());
  },
  async app(accountId) {
    const wish = { name: 'Newsletter', redirectUris: ['https://app.example/'], allowsDevice: true };
    const made = await createApp(db, { accountId, ...wish, isPublic: false, clientId: undefined });
    if (made === 'exists') throw new Error('a new app has a new id');
    return made.clientId;
  },
} as const satisfies Readonly<Record<string, Make>>;
const value = () => randomBytes(16).toString('hex');

/** A browser. All requests of a person come from one, because a session takes longer to make than most pages. */
interface Browser {
  readonly cookie: string;
  /** That the person is in. */
  readonly accountId: string;
}

const signedOut: Browser = { cookie: makeValue(), accountId: '' };

/** A browser in which the person has just signed in. */
async function signIn(person: Person, accountId = owner.id): Promise<Browser> {
  const begun = await beginSession(
    { db, settings: settingsWith() },
    { id: person.personId },
    { replaced: makeValue(), userAgent: undefined, ip: '192.0.2.1', browserToken: undefined },
  );
  return { cookie: begun!.cookie, accountId };
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function ask(
  { cookie, accountId }: Browser,
  route: string,
  { fields }: Pick<Row, 'fields'> = {},
  id = '',
  from: StoredService['app'] = app,
): Promise<Answer> {
  const [method, pattern = ''] = route.split(' ') as ['GET' | 'POST', string];
  const sent = { form_token: formTokenOf(cookie, accountId), ...fields };
  const { statusCode: status, body } = await from.inject({
    ...{ method, url: pattern.replace(/:\w+/, id), remoteAddress: '198.51.100.7' },
    headers: {
      cookie: `session=${cookie}`,
      ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(method === 'POST' && { payload: `${new URLSearchParams(sent)}` }),
  });
  // Whoever may leave has left.
  if (/leave$/.test(pattern))
    for (const role of ROLES) await setMember(db, owner.id, people[role].personId, role);
  return { status, body };
}

const has = ({ body }: Answer, button: string) => body.includes(`>${button}</button>`);

const { app } = await startStoredService(db);
const owner = await makePerson(db, 100);
const people: Readonly<Record<Role, Person>> = {
  owner,
  admin: await makeMember(db, owner.id, 'admin'),
  member: await makeMember(db, owner.id, 'member'),
  viewer: await makeMember(db, owner.id, 'viewer'),
};
const colleague = await makeMember(db, owner.id, 'member');
const stranger = await makePerson(db, 100);
const browsers = Object.fromEntries(
  await Promise.all(ROLES.map(async (role) => [role, await signIn(people[role])] as const)),
) as Readonly<Record<Role, Browser>>;
const without = await signIn(await makeMember(db, undefined, 'member'), '');
/** Its objects for pages, which change nothing. */
const kept = new Map<string, Promise<string>>();

/** @returns the id of an object of the row, in an account, by a person. A form gets one of its own */
function objectFor(
  route: string,
  { object }: Row,
  accountId: string,
  madeBy: string,
): Promise<string> | undefined {
  if (object === undefined) return undefined;
  const make = () => OBJECTS[object](accountId, madeBy);
  if (route.startsWith('POST')) return make();
  const name = `${object} ${accountId} ${madeBy}`;
  const found = kept.get(name) ?? make();
  kept.set(name, found);
  return found;
}

const WALKED = Object.entries(ROWS).flatMap(([route, rows]) =>
  [rows].flat().map((row) => [`${route}${row.object ? ` (${row.object})` : ''}`, route, row] as const),
);

it('has a row for each route', async () => {
  const { settings: oidc } = await startScriptedProvider();
  const service = await startStoredService(db, { oidc });
  await service.app.ready();
  const routes = (['GET', 'POST'] as const).flatMap((method) =>
    routesOf(service.app, method).map((url) => `${method} ${url}`),
  );
  const known = [...Object.keys(ROWS), ...Object.keys(SIGNING_IN), ...WITHOUT_ROLE];
  expect(routes.filter((route) => !known.includes(route) && !STYLE.test(route))).toEqual([]);
  expect(known.filter((route) => !routes.includes(route))).toEqual([]);
});

it('treats everybody alike where people sign in, and lets nobody in there without a proof', async () => {
  const { settings: oidc } = await startScriptedProvider();
  const service = await startStoredService(db, { oidc });
  const members = await listMembers(db, owner.id);
  const known = await listSessionIds();
  for (const [route, status] of Object.entries(SIGNING_IN)) {
    const seen = [];
    for (const browser of [...ROLES.map((role) => browsers[role]), without, signedOut])
      seen.push((await ask(browser, route, { fields: { form_token: '' } }, makeValue(), service.app)).status);
    expect([route, ...seen]).toEqual([route, ...Array(ROLES.length + 2).fill(status)]);
  }
  expect([await listMembers(db, owner.id), await listSessionIds()]).toEqual([members, known]);
});

const listSessionIds = () => db.selectFrom('sessions').select('id').orderBy('id').execute();

it.each(WALKED)('lets in whom the table of roles allows: %s', async (_, route, row) => {
  const { may, mayOwn = may, object, status } = row;
  const seen: string[] = [];
  const note = (who: string, answer: Answer) => {
    const isGood = [200, 303, 422].includes(answer.status) || answer.status === status;
    const refused = /You may not [a-z][^<]* of the account of/.test(answer.body);
    const said = isGood ? 'may' : answer.status === 403 && refused ? 'may not' : answer.status;
    seen.push(`${who}: ${said}`);
  };
  for (const role of ROLES) {
    const ofOther = await objectFor(route, row, owner.id, colleague.personId);
    note(role, await ask(browsers[role], route, row, ofOther));
    if (!object) continue;
    const own = await objectFor(route, row, owner.id, people[role].personId);
    note(`${role}, own`, await ask(browsers[role], route, row, own));
  }
  const say = (allowed: readonly Role[], role: Role) => (allowed.includes(role) ? 'may' : 'may not');
  expect(seen).toEqual(
    ROLES.flatMap((role) => [
      `${role}: ${say(may, role)}`,
      ...(object ? [`${role}, own: ${say(mayOwn, role)}`] : []),
    ]),
  );
});

it.each(WALKED.filter(([, , { object }]) => object))(
  "has no other account's object: %s",
  async (_, route, row) => {
    const theirs = (await objectFor(route, row, stranger.id, stranger.personId))!;
    const nobodys = theirs.replace(/.{4}$/, 'abcd');
    // The roles differ before an object is looked for, so one of them stands for the others.
    for (const role of (row.mayOwn ?? row.may).slice(0, rounds(1, ROLES.length))) {
      const found = await ask(browsers[role], route, row, theirs);
      const unknown = await ask(browsers[role], route, row, nobodys);
      expect([role, found.status, found.body.replaceAll(theirs, nobodys)]).toEqual([role, 404, unknown.body]);
    }
  },
);

it.each(WALKED)(
  'lets in no person without an account, unless it is theirs alone, and nobody who is signed out: %s',
  async (_, route, row) => {
    const id = await objectFor(route, row, owner.id, owner.personId);
    const answer = await ask(without, route, row, id);
    if (row.isPersonal) expect([200, 303, 422, row.status]).toContain(answer.status);
    else {
      expect(answer.status).toBe(403);
      expect(answer.body).toMatch(/You have no account|You are a member of no account/);
    }
    const out = await ask(signedOut, route, row, id);
    expect(out.status).toEqual(route.startsWith('GET') ? 200 : 403);
    expect(has(out, 'Sign in')).toBe(true);
    expect(has(out, 'Sign out')).toBe(false);
  },
);

it('gives viewers what they may download, where the operator has allowed it', async () => {
  const settings = { members: { viewersDownload: true } };
  const service = await startStoredService(db, settings);
  for (const [name, route, row] of WALKED) {
    if (!/download|settings\/address( |\/export|$)/.test(name)) continue;
    const id = await objectFor(route, row, owner.id, owner.personId);
    const { status } = await ask(browsers.viewer, route, row, id, service.app);
    expect([name, status]).not.toEqual([name, 403]);
  }
});

const PAGES = new new Window().DOMParser();

/** The elements of a page that match. */
async function findOn(browser: Browser, page: string, selector: string, attribute: string) {
  const { status, body } = await ask(browser, `GET ${page}`);
  expect([page, status]).toEqual([page, 200]);
  const found = PAGES.parseFromString(body, 'text/html').querySelectorAll(selector);
  return [...found].map((element) => element.getAttribute(attribute)!);
}

it('has in the menu what the person may see, and nothing else', async () => {
  const MENU = { '/dashboard/verify': WORKERS, '/dashboard/members': HEADS } as Readonly<
    Record<string, readonly Role[]>
  >;
  const links = (role: Role) => findOn(browsers[role], '/dashboard/batches', 'nav.sections a', 'href');
  const all = await links('owner');
  expect(all).toContain('/dashboard/verify');
  for (const role of ROLES)
    expect(await links(role), role).toEqual(all.filter((link) => (MENU[link] ?? ALL).includes(role)));
});

inLong('has no link and no button on a page that leads to “Not allowed”', async () => {
  for (const role of ['member', 'viewer'] as const) {
    const id = {
      batch: await OBJECTS.batch(owner.id, colleague.personId),
      key: await OBJECTS.liveKey(owner.id, colleague.personId),
      app: await OBJECTS.app(owner.id),
    };
    const pages = [
      ...['/dashboard/', '/dashboard/batches', '/dashboard/keys', '/dashboard/apps', '/dashboard/settings'],
      ...['/dashboard/usage', '/dashboard/audit', `/dashboard/batches/${id.batch}`, '/dashboard/security'],
      ...[`/dashboard/keys/${id.key}`, `/dashboard/apps/${id.app}`, '/dashboard/account'],
    ];
    const tried = new Set<string>();
    for (const page of pages) {
      const browser = browsers[role];
      const links = await findOn(browser, page, 'main a[href^="/dashboard/"]', 'href');
      const forms = await findOn(browser, page, 'main form[method=post]', 'action');
      const leads = [
        ...links.map((link) => `GET ${link.replace(/#.*/, '')}`),
        ...forms.map((form) => `POST ${form}`),
      ];
      for (const lead of leads.filter((one) => !tried.has(one))) {
        tried.add(lead);
        const { status } = await ask(browser, lead);
        expect([role, page, lead, status]).not.toEqual([role, page, lead, 403]);
      }
    }
    expect(tried.size).toBeGreaterThan(15);
  }
});
