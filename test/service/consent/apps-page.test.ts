/** `/account/apps` as a person at a browser sees it. */
import { afterAll, expect, it } from 'vitest';
import { worldOf } from '../oauth/world.ts';
import { createTestDatabase } from '../support/database.ts';
import { startStoredService } from '../support/stored-service.ts';
import { makePerson, Visitor } from '../support/visitor.ts';

const database = await createTestDatabase();
const { db } = database;
afterAll(() => database.drop());

async function start() {
  const service = await startStoredService(db);
  const person = await makePerson(db);
  const world = worldOf(db, service.app, person.id);
  const client = await world.makeApp({ name: 'News & <b>Letter</b>' });
  const tokens = await world.tokensOf(client);
  const visitor = await new Visitor(service.app).signIn(person);
  await visitor.open('/account/apps');
  return { ...service, ...world, person, client, tokens, visitor };
}

it('lists the apps that may use the account, and since when', async () => {
  const { visitor, person } = await start();
  expect(visitor.document.querySelector('h2')!.textContent).toBe('News & <b>Letter</b>');
  expect(visitor.text).toMatch(/Allowed \d{1,2} \w+ \d{4}, last used \d{1,2} \w+ \d{4}/);
  expect(visitor.text).toContain(`You are signed in as ${person.email}.`);
  expect(visitor.document.querySelector('[aria-current=page]')!.textContent).toBe('Authorised apps');
  expect(visitor.document.querySelector('[aria-label^=Remove]')!.getAttribute('aria-label')).toBe(
    'Remove News & <b>Letter</b>',
  );
});

it('takes the permission back at once, and says so', async () => {
  const { visitor, tokens, askAccount, refresh, client } = await start();
  await visitor.press('Remove');
  expect([visitor.status, visitor.location]).toEqual([303, '/account/apps?removed=1']);
  expect((await askAccount(tokens.access_token)).statusCode).toBe(403);
  expect((await refresh(client, tokens.refresh_token)).statusCode).toBe(400);
  await visitor.follow();
  expect(visitor.text).toContain('The app may not use your account any more. No app may use your account.');
});

it('leaves the apps of other accounts, and other apps', async () => {
  const { visitor, app, tokens, askAccount, client, makeApp, tokensOf } = await start();
  const stranger = await new Visitor(app).signIn(await makePerson(db));
  await stranger.open('/account/apps');
  expect(stranger.text).toContain('No app may use your account.');
  const { sent } = stranger.formOf('Sign out');
  await stranger.post('/account/apps', { ...sent, client_id: client.client_id });
  expect((await askAccount(tokens.access_token)).statusCode).toBe(200);
  const other = await tokensOf(await makeApp());
  await visitor.press('Remove');
  expect((await askAccount(tokens.access_token)).statusCode).toBe(403);
  expect((await askAccount(other.access_token)).statusCode).toBe(200);
});

it('removes nothing for a form of another site, without its token, and without a session', async () => {
  const { visitor, tokens, askAccount, person } = await start();
  const { action, sent } = visitor.formOf('Remove');
  await visitor.post(action, sent, { headers: { origin: 'https://evil.example' } });
  expect(visitor.status).toBe(403);
  await visitor.post(action, { ...sent, form_token: 'x' });
  expect([visitor.status, visitor.text.includes('Nothing was removed. Try again.')]).toEqual([403, true]);
  await db.deleteFrom('sessions').where('account_id', '=', person.id).execute();
  await visitor.post(action, sent);
  expect([visitor.status, visitor.has('Sign in')]).toEqual([403, true]);
  expect((await askAccount(tokens.access_token)).statusCode).toBe(200);
  await (await visitor.signIn(person)).follow();
  expect(visitor.has('Remove')).toBe(true);
});

it('asks for the sign-in first', async () => {
  const { app } = await start();
  const visitor = await new Visitor(app).open('/account/apps');
  expect([visitor.status, visitor.has('Sign in')]).toEqual([200, true]);
  expect(visitor.formOf('Sign in').sent.return_to).toBe('/account/apps');
});
