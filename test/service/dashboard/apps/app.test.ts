/** Making, changing and deleting an app, as its owner does it. */
import { describe, expect, it } from 'vitest';
import { changeApp, makeApp, removeApp } from '../../../../src/service/oauth/apps/manage/manage-apps.ts';
import { CALLBACK, CHALLENGE, type Client, refusalOf, worldOf } from '../../oauth/world.ts';
import { auditOf } from '../../support/audit.ts';
import { testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { arrive, makePerson, Visitor } from '../../support/visitor.ts';
import { fault, faultOf, textAt } from '../keys/world.ts';

const { db, run } = await testDatabase();

const APPS = '/dashboard/apps';
const SECRET = /^[\w-]{43}$/;
const OOB = 'urn:ietf:wg:oauth:2.0:oob';

async function start() {
  const service = await startStoredService(db);
  const { person, visitor } = await arrive(service, db);
  const world = worldOf(db, service.app, person.id);
  const appsOf = () => db.selectFrom('apps').selectAll().where('account_id', '=', person.id).execute();
  const auditEvents = async () =>
    (await auditOf(db, person.id, 'actor_name', 'action', 'subject_id', 'subject_name', 'details')).filter(
      ({ action }) => action.startsWith('app.'),
    );
  const actor = { kind: 'owner', name: person.email } as const;
  return { ...service, ...world, person, visitor, appsOf, auditEvents, actor };
}

/** The page of an app that this person has made, and what the app knows of itself. */
async function openApp(fields: Record<string, string> = {}) {
  const world = await start();
  const { visitor } = world;
  await visitor.open(`${APPS}/new`);
  await visitor.press('Create app', { Name: 'Newsletter', 'Redirect URIs': CALLBACK, ...fields });
  const client_id = textAt(visitor, '#client-id')!;
  const client_secret = textAt(visitor, '#client-secret');
  const client: Client = client_secret === undefined ? { client_id } : { client_id, client_secret };
  await visitor.open(`${APPS}/${client_id}`);
  return { ...world, client, path: `${APPS}/${client_id}` };
}

describe('creating', () => {
  it('shows the id and the secret once, and the app works', async () => {
    const { visitor, person, tokensOf, appsOf, auditEvents } = await start();
    await visitor.open(APPS);
    expect(textAt(visitor, '.empty h3')).toBe('Let other people connect their accounts');
    await visitor.open(`${APPS}/new`);
    const uris = { 'Redirect URIs': `${CALLBACK}\n${OOB}\n${OOB}` };
    await visitor.press('Create app', { Name: 'Newsletter', ...uris, device: 'yes' });
    const client_id = textAt(visitor, '#client-id')!;
    const client_secret = textAt(visitor, '#client-secret')!;
    expect(client_id).toMatch(/^[0-9a-f]{32}$/);
    expect(client_secret).toMatch(SECRET);
    expect(textAt(visitor, '.done')).toBe('The app was created. Copy its secret now: it is not shown again.');
    expect(textAt(visitor, '#token-url')).toBe('http://localhost/oauth/token');
    expect((await tokensOf({ client_id, client_secret })).scope).toBe('all');
    expect(await appsOf()).toMatchObject([{ client_id, name: 'Newsletter', allows_device: true }]);
    expect((await auditEvents())[0]).toEqual({
      ...{ actor_name: person.email, action: 'app.create' },
      ...{ subject_id: client_id, subject_name: 'Newsletter' },
      details: { redirect_uris: `${CALLBACK} ${OOB}`, device: true, public: false },
    });
    await visitor.open(APPS);
    expect(textAt(visitor, 'table.apps')).toContain('code and device');
    expect(visitor.response.body).not.toContain(client_secret);
  });

  it('gives a public app no secret', async () => {
    const { visitor, client, exchange, codeOf, path } = await openApp({ kind: 'public' });
    expect(client).not.toHaveProperty('client_secret');
    const code = await codeOf(client, { code_challenge: CHALLENGE, code_challenge_method: 'S256' });
    expect((await exchange(client, code, { code_verifier: 'x' })).statusCode).toBe(400);
    expect(visitor.text).toContain('Public: it has no secret');
    expect(visitor.has('Roll secret')).toBe(false);
    await visitor.post(`${path}/roll`, { ...visitor.formOf('Save').sent, overlap: '0', version: '' });
    expect(visitor.status).toBe(404);
  });

  it('makes one app, however often the form is sent', async () => {
    const { visitor, appsOf } = await start();
    const { action, sent } = (await visitor.open(`${APPS}/new`)).formOf('Create app');
    const filled = { ...sent, name: 'Once', redirect_uris: CALLBACK };
    await visitor.post(action, filled);
    expect((await visitor.post(action, filled)).location).toBe(`${APPS}/${sent.client_id}?done=exists`);
    await visitor.follow();
    expect(textAt(visitor, '.done')).toContain('This app already exists.');
    expect(await appsOf()).toHaveLength(1);
  });

  it.each<[string, Record<string, string>, string | null, RegExp]>([
    ['no name', { Name: '' }, 'name', /Type a name/],
    [
      'a fragment',
      { 'Redirect URIs': `${CALLBACK}\n${CALLBACK}#x` },
      'redirect_uris',
      /line 2 of the redirect URIs to have no fragment/,
    ],
    ['plain http', { 'Redirect URIs': 'http://app.example/' }, 'redirect_uris', /to begin with https:/],
    ['a script', { 'Redirect URIs': 'javascript:alert(1)' }, 'redirect_uris', /line 1/],
    [
      'too many URIs',
      { 'Redirect URIs': Array.from({ length: 51 }, (_, at) => `${CALLBACK}/${at}`).join('\n') },
      'redirect_uris',
      /at most 50/,
    ],
    ['no flow', { 'Redirect URIs': '' }, 'redirect_uris', /allow the device flow, or both/],
    ['no kind', { kind: 'x' }, null, /Choose where the app runs/],
    ['no id', { client_id: 'short' }, null, /The form was incomplete/],
    ['an id of its own choice', { client_id: '0'.repeat(32) }, null, /The form was incomplete/],
  ])('makes no app, and keeps what was typed: %s', async (_what, fields, field, message) => {
    const { visitor, appsOf } = await start();
    await visitor.open(`${APPS}/new`);
    await visitor.press('Create app', { Name: 'Newsletter', 'Redirect URIs': CALLBACK, ...fields });
    const [status, problem, wrong] = fault(visitor);
    expect([status, wrong ?? null]).toEqual([422, field]);
    expect(problem).toMatch(message);
    expect(problem).toContain('No app was created.');
    expect(visitor.valueOf('Name')).toBe(fields.Name ?? 'Newsletter');
    expect(await appsOf()).toEqual([]);
  });

  it('refuses more apps than anybody needs', async () => {
    const { visitor, person } = await start();
    const rows = Array.from({ length: 100 }, (_, at) => ({
      ...{ client_id: `${person.id}_${at}`.slice(-40), account_id: person.id },
      ...{ name: 'x', secret: null, allows_device: true },
    }));
    await db.insertInto('apps').values(rows).execute();
    await visitor.open(`${APPS}/new`);
    await visitor.press('Create app', { Name: 'One more', device: 'yes' });
    expect(fault(visitor).slice(0, 2)).toEqual([422, expect.stringContaining('at most 100 apps')]);
  });
});

describe('changing', () => {
  it('takes effect at once, ends codes of a URI that is gone, and is in the audit log', async () => {
    const { visitor, client, codeOf, exchange, auditEvents, read, path } = await openApp();
    const code = await codeOf(client);
    const other = 'https://other.example/callback';
    await visitor.press('Save', { Name: 'Letters', 'Redirect URIs': other, device: 'yes' });
    expect(visitor.location).toBe(`${path}?done=changed`);
    await visitor.follow();
    expect(textAt(visitor, '.done')).toBe('The app was changed.');
    expect(visitor.valueOf('Redirect URIs')?.trim()).toEqual(other);
    expect(refusalOf(await exchange(client, code))).toEqual([400, 'invalid_grant']);
    const request = { response_type: 'code', client_id: client.client_id };
    expect((await read({ ...request, redirect_uri: CALLBACK })).kind).toBe('error-page');
    expect((await read({ ...request, redirect_uri: other })).kind).toBe('ask');
    expect((await auditEvents()).at(-1)).toMatchObject({
      ...{ action: 'app.change', subject_name: 'Letters' },
      details: {
        ...{ name: 'Letters', former_name: 'Newsletter', device: true },
        ...{ redirect_uris_added: other, redirect_uris_removed: CALLBACK },
      },
    });
    await (await visitor.press('Save')).follow();
    expect(textAt(visitor, '.done')).toContain('The app already had these settings.');
  });

  it('changes nothing for a form that is wrong, or out of date', async () => {
    const { visitor, client, appsOf, actor } = await openApp();
    await visitor.press('Save', { 'Redirect URIs': 'x' });
    expect(fault(visitor)).toEqual(faultOf('The app was not changed.', 'redirect_uris'));
    const settings = { name: 'Meanwhile', redirectUris: [CALLBACK], allowsDevice: false };
    expect(await changeApp(db, actor, { clientId: client.client_id }, () => settings)).toBe('changed');
    await visitor.press('Save', { 'Redirect URIs': CALLBACK, Name: 'Older' });
    expect(fault(visitor).slice(0, 2)).toEqual([422, expect.stringContaining('changed since you opened')]);
    expect(await appsOf()).toMatchObject([{ name: 'Meanwhile' }]);
  });
});

describe('rolling the secret', () => {
  it('shows the new one once, and both work until the old one is ended', async () => {
    const { visitor, client, exchange, codeOf, auditEvents } = await openApp();
    const works = async (client_secret: string) => {
      const { client_id } = client;
      return (await exchange({ client_id, client_secret }, await codeOf(client))).statusCode;
    };
    await visitor.press('Roll secret');
    const rolled = textAt(visitor, '#client-secret')!;
    expect(rolled).toMatch(SECRET);
    expect(textAt(visitor, '.done')).toContain('the old one works for another day. Copy the new secret now');
    expect([await works(client.client_secret!), await works(rolled)]).toEqual([200, 200]);
    await visitor.open(`${APPS}/${client.client_id}`);
    expect(visitor.text).toContain('The old secret works until');
    expect(visitor.response.body).not.toContain(rolled);
    await (await visitor.press('End the old secret now')).follow();
    expect(textAt(visitor, '.done')).toBe('The old secret no longer works.');
    expect([await works(client.client_secret!), await works(rolled)]).toEqual([401, 200]);
    expect((await auditEvents()).filter(({ action }) => action !== 'app.allow').slice(1)).toMatchObject([
      { action: 'app.roll-secret', details: { overlap_seconds: 86_400 } },
      { action: 'app.change', details: { former_secret_ended: true } },
    ]);
    await visitor.post(`${APPS}/${client.client_id}/end-old`, visitor.formOf('Save').sent);
    expect((await auditEvents()).filter(({ action }) => action === 'app.change')).toHaveLength(1);
  });

  it('lets the old one end by itself', async () => {
    const { visitor, client, exchange, codeOf } = await openApp();
    await visitor.press('Roll secret');
    await run`update apps set former_secret_until = clock_timestamp() where former_secret is not null`;
    expect((await exchange(client, await codeOf(client))).statusCode).toBe(401);
    expect((await visitor.open(`${APPS}/${client.client_id}`)).has('End the old secret now')).toBe(false);
  });

  it('stops the old one at once if that is chosen, also one from before', async () => {
    const { visitor, client, exchange, codeOf } = await openApp();
    await visitor.press('Roll secret');
    await visitor.open(`${APPS}/${client.client_id}`);
    await visitor.press('Roll secret', { overlap: '0' });
    expect((await exchange(client, await codeOf(client))).statusCode).toBe(401);
  });

  it('rolls once, however often the form is sent', async () => {
    const { visitor, client, path, exchange, codeOf } = await openApp();
    const { action, sent } = visitor.formOf('Roll secret');
    await visitor.post(action, { ...sent, overlap: '0' });
    const client_secret = textAt(visitor, '#client-secret')!;
    await visitor.post(action, { ...sent, overlap: '0' });
    expect(visitor.location).toBe(`${path}?done=rolled-before`);
    await visitor.follow();
    expect(textAt(visitor, '.done')).toContain('The secret was already rolled');
    const { client_id } = client;
    expect((await exchange({ client_id, client_secret }, await codeOf(client))).statusCode).toBe(200);
  });

  it('refuses an overlap that it does not offer', async () => {
    const { visitor } = await openApp();
    await visitor.press('Roll secret', { overlap: '1e9' });
    expect(fault(visitor)).toEqual(faultOf('Choose how long the old secret', 'overlap'));
  });
});

it('takes a form without its fields for one that is wrong', async () => {
  const { visitor, path, auditEvents } = await openApp();
  const { form_token, seen } = visitor.formOf('Save').sent as { form_token: string; seen: string };
  for (const fields of [{}, { seen }]) {
    expect((await visitor.post(path, { form_token, ...fields })).status).toBe(422);
  }
  expect((await visitor.post(`${path}/roll`, { form_token })).status).toBe(422);
  await visitor.post(`${path}/roll`, { form_token, overlap: '0' });
  expect(visitor.location).toBe(`${path}?done=rolled-before`);
  await visitor.post(`${APPS}/new`, { form_token });
  expect(visitor.status).toBe(422);
  expect((await visitor.post(`${APPS}/remove`, { form_token })).location).toBe(`${APPS}?done=removed`);
  expect((await auditEvents()).map(({ action }) => action)).toEqual(['app.create']);
});

it('shows who has authorised it, and since when', async () => {
  const { app, visitor, client, path } = await openApp();
  expect(visitor.text).toContain('No account has authorised this app yet.');
  const people = [await makePerson(db), await makePerson(db)];
  for (const { id } of people) {
    const world = worldOf(db, app, id);
    await world.tokensOf(client);
    await world.tokensOf(client);
  }
  await visitor.open(path);
  expect(textAt(visitor, 'caption')).toBe('2 accounts');
  const rows = [...visitor.document.querySelectorAll('tbody th')].map(({ textContent }) => textContent);
  expect(rows).toEqual(people.map(({ email }) => email).reverse());
  expect(textAt(visitor, 'details.danger')).toContain('stop at once, in 2 accounts.');
});

it('shows the latest of very many', async () => {
  const { person, visitor, client, path } = await openApp();
  await run`
    insert into accounts (id, owner_email, email_key, password_hash, callback_secret)
    select ${person.id} || n, n || ${person.id}, n || ${person.id}, 'x', 'whsec_x' from generate_series(1, 101) as n
  `;
  await run`
    insert into token_families (client_id, account_id, handle, refresh_token, access_token, access_expires_at)
    select ${client.client_id}, ${person.id} || n, sha256(('h' || n)::bytea), sha256('r'), sha256(('a' || n)::bytea), now()
    from generate_series(1, 101) as n
  `;
  await visitor.open(path);
  expect(textAt(visitor, 'caption')).toBe('The 100 accounts that used it last');
  expect(visitor.document.querySelectorAll('tbody tr')).toHaveLength(100);
  expect(textAt(visitor, 'details.danger')).toContain('stop at once, in more than 100 accounts.');
});

it('is deleted with all its tokens', async () => {
  const { visitor, client, tokensOf, askAccount, auditEvents, path, actor } = await openApp();
  const { access_token } = await tokensOf(client);
  expect((await visitor.press('Delete app')).location).toBe(`${APPS}?done=deleted`);
  await visitor.follow();
  expect(textAt(visitor, '.done')).toContain('The app was deleted.');
  await expect.poll(async () => (await askAccount(access_token)).statusCode).toBe(403);
  expect((await auditEvents()).at(-1)).toMatchObject({ action: 'app.delete', subject_name: 'Newsletter' });
  expect((await visitor.open(path)).status).toBe(404);
  const named = { clientId: client.client_id };
  const settings = { name: 'x', redirectUris: [], allowsDevice: true };
  expect(await removeApp(db, actor, named)).toBe(false);
  expect(await changeApp(db, actor, named, () => settings)).toBe('no such app');
});

it('answers for an app of another account as for one that does not exist', async () => {
  const { visitor, app, client, appsOf, auditEvents, actor } = await openApp();
  const owner = visitor.formOf('Roll secret').sent;
  const person = await makePerson(db);
  const stranger = await new Visitor(app).signIn(person);
  const { form_token } = (await stranger.open(APPS)).formOf('Sign out').sent as { form_token: string };
  const before = await appsOf();
  const answers = new Set<string>();
  for (const name of [client.client_id, '0123456789abcdef', "'", '%00', 'x'.repeat(90)]) {
    await stranger.open(`${APPS}/${name}`);
    answers.add(`${stranger.status} ${textAt(stranger, 'main')}`);
    for (const path of ['', '/roll', '/end-old', '/delete']) {
      await stranger.post(`${APPS}/${name}${path}`, { ...owner, form_token, overlap: '0' });
      answers.add(`${stranger.status} ${textAt(stranger, 'main')}`);
    }
  }
  expect([...answers]).toEqual([expect.stringContaining('404')]);
  // Nor does a form take the client id of another account over.
  await stranger.open(`${APPS}/new`);
  await stranger.press('Create app', { Name: 'Theirs', device: 'yes', client_id: client.client_id });
  const taken = fault(stranger);
  expect(stranger.text).not.toContain(client.client_id);
  await stranger.open(`${APPS}/new`);
  await stranger.press('Create app', { Name: 'Theirs', device: 'yes', client_id: 'nonsense' });
  // Whether another account has the app cannot be asked.
  expect(taken).toEqual(fault(stranger));
  expect(taken[0]).toBe(422);
  const theirs = { clientId: client.client_id, accountId: person.id };
  const wish = { ...theirs, name: 'x', redirectUris: [], allowsDevice: true, isPublic: true };
  expect(await makeApp(db, actor, wish)).toBe('exists');
  expect(await removeApp(db, actor, theirs)).toBe(false);
  expect(await appsOf()).toEqual(before);
  expect((await auditEvents()).map(({ action }) => action)).toEqual(['app.create']);
});
