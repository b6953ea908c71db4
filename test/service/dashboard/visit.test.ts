import type { InjectOptions } from 'fastify';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { setMember } from '../../../src/service/people/members/member-store.ts';
import { chooseAccount } from '../../../src/service/people/sessions/session-store.ts';
import { digestOf } from '../../../src/shared/sha256.ts';
import { testDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import { startStoredService } from '../support/stored-service.ts';
import { arrive, makePerson, Visitor } from '../support/visitor.ts';

const database = await testDatabase();
const db = database.connect();

const SECTIONS = [
  '/dashboard/',
  '/dashboard/verify',
  '/dashboard/batches',
  '/dashboard/batches/new',
  '/dashboard/keys',
  '/dashboard/apps',
  '/dashboard/usage',
  '/dashboard/audit',
  '/dashboard/settings',
];

describe('every section', () => {
  it.each(SECTIONS)('asks for a sign-in first, and is there afterwards: %s', async (path) => {
    const { app } = await startStoredService(db);
    const person = await makePerson(db);
    const visitor = await new Visitor(app).open(path);
    expect(visitor.has('Sign in')).toBe(true);
    await (await visitor.signIn(person)).follow();
    expect([visitor.status, visitor.text.includes(person.email)]).toEqual([200, true]);
    expect(visitor.document.querySelectorAll('h1')).toHaveLength(1);
    expect(visitor.document.title).not.toBe('');
    const current = visitor.document.querySelectorAll('.sections [aria-current]');
    expect([...current].map((link) => link.getAttribute('href'))).toEqual([path.replace('/new', '')]);
  });

  it.each(SECTIONS)('cannot be framed or stored, and runs scripts of the service only: %s', async (path) => {
    const { app } = await startStoredService(db);
    const visitor = await new Visitor(app).signIn(await makePerson(db));
    const { headers, body } = (await visitor.open(path)).response;
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(headers['cache-control']).toBe('no-store');
    expect(body).not.toMatch(/ style="| on[a-z]+="|<script(?! (type="module" )?src=)/);
  });
});

it('carries out no form of one account in another that the person has switched to in another tab', async () => {
  const { app } = await startStoredService(db);
  const [person, other] = [await makePerson(db), await makePerson(db)];
  await setMember(db, other.id, person.personId, 'owner');
  const visitor = await new Visitor(app).signIn(person);
  await visitor.open('/dashboard/settings');
  await chooseAccount(db, digestOf(visitor.cookies.get('session')!), other.id);
  expect(visitor.document.querySelector('#retention-form')!).not.toBeNull();
  await visitor.press('Save', { keep: '24' });
  expect([visitor.status, visitor.text.includes('switched to another account')]).toEqual([403, true]);
  const kept = await db.selectFrom('accounts').select('keep_results_seconds').execute();
  expect(kept.every(({ keep_results_seconds }) => keep_results_seconds === null)).toBe(true);
});

it('makes four pages of an account at once, so that nobody holds all connections of the database', async () => {
  const { app } = await startStoredService(database.connect(8, 'of the service'));
  const visitor = await new Visitor(app).signIn(await makePerson(db));
  const other = await new Visitor(app).signIn(await makePerson(db));
  const waiting = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where application_name = 'of the service' and wait_event_type = 'Lock'
    `.execute(db);
    return rows[0]!.count;
  };
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  let opened: Promise<{ statusCode: number; headers: object; body: string }>[] = [];
  await db.transaction().execute(async (transaction) => {
    await sql`lock table audit in access exclusive mode`.execute(transaction);
    opened = Array.from({ length: 105 }, () => app.inject({ url: '/dashboard/audit', headers: { cookie } }));
    await vi.waitFor(async () => expect(await waiting()).toBeGreaterThanOrEqual(4), PATIENTLY);
    // No place is free meanwhile, so one of them is refused.
    expect((await Promise.race(opened)).statusCode).toBe(429);
    await other.open('/dashboard/keys');
    expect([other.status, await waiting()]).toEqual([200, 4]);
  });
  const ended = await Promise.all(opened);
  expect(ended.filter(({ statusCode }) => statusCode === 200)).toHaveLength(104);
  const refused = ended.find(({ statusCode }) => statusCode !== 200)!;
  expect(refused).toMatchObject({ statusCode: 429, headers: { 'retry-after': '1' } });
  expect(refused.body).toContain('Many pages of your account are being made at the moment.');
});

describe('what is not there', () => {
  it.each([
    ['/dashboard/nowhere', 'Go to Overview', '/dashboard/'],
    ['/dashboard/keys/a/b/c?d=/dashboard/usage', 'Go to Keys', '/dashboard/keys'],
    ['/dashboard/batcheses', 'Go to Overview', '/dashboard/'],
    ['/dashboard/lists/x/y', 'Go to Batches', '/dashboard/batches'],
  ])('is a page with a link onwards, signed in or not: %s', async (path, text, section) => {
    const { app } = await startStoredService(db);
    const visitor = await new Visitor(app).open(path);
    const link = () =>
      [...visitor.document.querySelectorAll('main a')].map((one) => [
        one.textContent,
        one.getAttribute('href'),
      ]);
    expect(visitor.status).toBe(404);
    expect(visitor.text).toContain('This page does not exist.');
    expect(link()).toEqual([[text, section]]);
    await visitor.signIn(await makePerson(db));
    await visitor.open(path);
    expect([visitor.status, link()]).toEqual([404, [[text, section]]]);
    expect(visitor.document.querySelectorAll('.sections a').length).toBeGreaterThan(7);
  });

  it('leads back to its section when the account has no such thing', async () => {
    const { app } = await startStoredService(db);
    const visitor = await new Visitor(app).signIn(await makePerson(db));
    await visitor.open(`/dashboard/batches/${'0'.repeat(24)}`);
    expect([...visitor.document.querySelectorAll('main a')].map((one) => one.textContent)).toEqual([
      'Go to Batches',
    ]);
  });
});

describe('the frame', () => {
  it('leads from the address without a slash to the overview', async () => {
    const { app } = await startStoredService(db);
    const visitor = await new Visitor(app).open('/dashboard');
    expect([visitor.status, visitor.location]).toEqual([308, '/dashboard/']);
  });

  it('has the path of the public URL in each of its links', async () => {
    const options = { publicUrl: 'https://mail.example/verify', dashboardScript: 'console.log(1)' };
    const { app } = await startStoredService(db, options);
    // A reverse proxy that takes the path away.
    const proxy = {
      inject: (options: InjectOptions) =>
        app.inject({ ...options, url: String(options.url).replace(/^\/verify\//, '/') }),
    };
    const visitor = await new Visitor(proxy).signIn(await makePerson(db));
    await visitor.open('/dashboard/');
    const links = [...visitor.document.querySelectorAll('.sections a, link[rel=stylesheet], script')];
    const addresses = links.map((link) => link.getAttribute('href') ?? link.getAttribute('src')!);
    expect(addresses.length).toBeGreaterThan(9);
    expect(addresses.filter((address) => !address.startsWith('/verify/'))).toEqual([]);
  });

  it('serves the script and the style sheets that it names, for ever', async () => {
    const { app } = await startStoredService(db, { dashboardScript: 'console.log(1)' });
    const visitor = await new Visitor(app).signIn(await makePerson(db));
    await visitor.open('/dashboard/');
    const script = visitor.document.querySelector('script[type=module]')!.getAttribute('src')!;
    const found = await app.inject({ url: script });
    expect([found.statusCode, found.body]).toEqual([200, 'console.log(1)']);
    expect(found.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(found.headers['cache-control']).toContain('immutable');
  });

  it('works without the script of the build', async () => {
    const { app } = await startStoredService(db);
    const visitor = await new Visitor(app).signIn(await makePerson(db));
    expect((await visitor.open('/dashboard/')).document.querySelector('script[type=module]')).toBeNull();
  });

  it('refuses a form of another page, and changes nothing', async () => {
    const { app } = await startStoredService(db);
    const { person, visitor } = await arrive({ app }, db);
    await visitor.post('/dashboard/keys/new', { name: 'forged', kind: 'private', mode: 'test' });
    expect(visitor.status).toBe(403);
    expect(visitor.text).toContain('Your change was not made');
    await visitor.post('/dashboard/keys/new', { name: 'x' }, { headers: { origin: 'https://evil.example' } });
    expect(visitor.status).toBe(403);
    expect(await db.selectFrom('keys').selectAll().where('account_id', '=', person.id).execute()).toEqual([]);
  });

  it('says that nothing was changed when the session has ended', async () => {
    const { app } = await startStoredService(db);
    const visitor = await new Visitor(app).open('/login');
    await visitor.post('/dashboard/keys/new', { name: 'x' });
    expect(visitor.status).toBe(403);
    expect(visitor.text).toContain('so your change was not made');
    expect(visitor.has('Sign in')).toBe(true);
  });
});
