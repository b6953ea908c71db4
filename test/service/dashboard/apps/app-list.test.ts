/** `/dashboard/apps` as a person at a browser sees it: who may use the account. */
import { expect, it } from 'vitest';
import { worldOf } from '../../oauth/world.ts';
import { auditOf } from '../../support/audit.ts';
import { testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { makePerson, Visitor } from '../../support/visitor.ts';

const { db } = await testDatabase();

const APPS = '/dashboard/apps';

async function start() {
  const service = await startStoredService(db);
  const person = await makePerson(db);
  const maker = await makePerson(db);
  const world = worldOf(db, service.app, person.id);
  const client = await world.makeApp({ name: 'News & <b>Letter</b>', accountId: maker.id });
  const tokens = await world.tokensOf(client);
  const visitor = await new Visitor(service.app).signIn(person);
  await visitor.open(APPS);
  const auditEvents = () =>
    auditOf(db, person.id, 'actor_name', 'action', 'subject_id', 'subject_name', 'details');
  return { ...service, ...world, person, maker, client, tokens, visitor, auditEvents };
}

it('lists the apps that may use the account, and since when', async () => {
  const { visitor } = await start();
  expect(visitor.document.querySelector('h3')!.textContent).toBe('News & <b>Letter</b>');
  const time = String.raw`\d{1,2} \w+ \d{4}, \d\d:\d\d UTC`;
  expect(visitor.text).toMatch(new RegExp(`Allowed ${time}, last used ${time}`));
  expect(visitor.document.querySelector('[aria-label^=Remove]')!.getAttribute('aria-label')).toBe(
    'Remove News & <b>Letter</b>',
  );
  expect(visitor.text).toContain('Let other people connect their accounts');
});

it('takes the permission back at once, says so, and writes it into the audit log', async () => {
  const { visitor, tokens, askAccount, refresh, client, person, auditEvents } = await start();
  await visitor.press('Remove');
  expect([visitor.status, visitor.location]).toEqual([303, `${APPS}?done=removed`]);
  expect((await askAccount(tokens.access_token)).statusCode).toBe(403);
  expect((await refresh(client, tokens.refresh_token)).statusCode).toBe(400);
  await visitor.follow();
  expect(visitor.text).toContain('The app can no longer use your account.');
  expect(visitor.text).toContain('No app has access to your account.');
  const subject = { subject_id: client.client_id, subject_name: 'News & <b>Letter</b>' };
  expect(await auditEvents()).toEqual([
    { actor_name: person.email, action: 'app.allow', ...subject, details: { flow: 'code' } },
    { actor_name: person.email, action: 'app.remove', ...subject, details: {} },
  ]);
});

it('leaves the apps of other accounts, and other apps', async () => {
  const { visitor, app, tokens, askAccount, client, makeApp, tokensOf } = await start();
  const person = await makePerson(db);
  const stranger = await new Visitor(app).signIn(person);
  expect((await stranger.open(APPS)).text).toContain('No app has access to your account.');
  const { sent } = stranger.formOf('Sign out');
  for (const client_id of [client.client_id, '', "x'"]) {
    expect((await stranger.post(`${APPS}/remove`, { ...sent, client_id })).status).toBe(303);
  }
  expect(await db.selectFrom('audit').selectAll().where('account_id', '=', person.id).execute()).toEqual([]);
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
  expect([visitor.status, visitor.text.includes('Your change was not made')]).toEqual([403, true]);
  await db.deleteFrom('sessions').where('account_id', '=', person.id).execute();
  await visitor.post(action, sent);
  expect([visitor.status, visitor.has('Sign in')]).toEqual([403, true]);
  expect((await askAccount(tokens.access_token)).statusCode).toBe(200);
  await (await visitor.signIn(person)).follow();
  expect(visitor.has('Remove')).toBe(true);
});

it('is where the former page was, whose forms still work', async () => {
  const { visitor, tokens, askAccount } = await start();
  const { sent } = visitor.formOf('Remove');
  await visitor.open('/account/apps');
  expect([visitor.status, visitor.location]).toEqual([303, APPS]);
  await visitor.post('/account/apps', sent);
  expect([visitor.status, visitor.location]).toEqual([303, `${APPS}?done=removed`]);
  expect((await askAccount(tokens.access_token)).statusCode).toBe(403);
});
