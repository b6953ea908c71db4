/** What requests get while the database is away, and that all is well again without a restart. */
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { inLong } from '../in-long.ts';
import { creditsOf, ledgerOf, makeAccount } from './support/account.ts';
import { testDatabase } from './support/database.ts';
import { bringBack, takeAway } from './support/outage.ts';
import { startPostgresServer } from './support/postgres-server.ts';
import { type RunningService, runService } from './support/running-service.ts';
import { createHeldScript, createScript, passSoon, storeKey } from './support/stored-service.ts';

const database = await testDatabase();
const { db } = database;

const until = (service: RunningService, url: string, status: number) =>
  vi.waitUntil(async () => (await service.statusOf(url)) === status, { interval: 20 });

describe('while the database takes no connections', () => {
  it('answers 503 with Retry-After, and is well again by itself', async () => {
    const { verifier } = createScript();
    const keys = [{ key: 'test_config', kind: 'private' as const }];
    await takeAway(database);
    const service = runService(database.url, { verifier, keys });
    expect((await service.ask({ url: '/readyz' })).headers['retry-after']).toMatch(/^\d+$/);
    await bringBack(database);
    await service.opened.ready;
    const accountId = await makeAccount(db, 5);
    const { key } = await storeKey(db, accountId, { mode: 'live' });
    const urls = [
      `/v1/verify?api_key=${key}&email=jo@company.example`,
      `/v1/account?api_key=${key}`,
      '/v1/verify?api_key=test_config&email=jo@company.example',
      '/v1/verify',
      '/v1/nothing',
    ];
    expect([await service.statusOf('/readyz'), await service.statusOf(urls[0]!)]).toEqual([200, 200]);

    await takeAway(database);
    await until(service, '/readyz', 503);
    expect(await service.statusOf('/healthz')).toBe(200);
    for (const url of urls) {
      const answer = await service.ask({ url });
      expect([answer.statusCode, answer.json()]).toEqual([
        503,
        { message: expect.stringContaining('database') },
      ]);
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    }
    expect(await service.statusOf('/')).toBe(404);

    await bringBack(database);
    await until(service, '/readyz', 200);
    // A busy machine may take the lock of the process again later than a request waits for it.
    await vi.waitUntil(service.opened.deps.lease.isHeld);
    expect(await Promise.all(urls.map(service.statusOf))).toEqual([200, 200, 200, 401, 404]);
    expect(await creditsOf(db, accountId)).toBe(3);
  });
});

describe('while the database answers with an error of its own', () => {
  it.each([
    ['53100', 'The disk of the database is full', 'database short of resources'],
    ['57014', 'The database took longer', 'database over time limit'],
    ['55P03', 'The database took longer', 'database over time limit'],
  ])('says for %s: %s', async (code, message, event) => {
    const service = runService(database.url);
    await service.opened.ready;
    const { key } = await storeKey(db, await makeAccount(db, 5), { mode: 'test' });
    await sql
      .raw(
        `create or replace function fail() returns trigger language plpgsql as
          $$ begin raise exception using errcode = '${code}'; end $$;
        create or replace trigger fail before insert on rates execute function fail()`,
      )
      .execute(db);
    onTestFinished(async () => {
      await sql`drop trigger if exists fail on rates`.execute(db);
      await sql`drop function if exists fail`.execute(db);
    });
    const answer = await service.ask({ url: `/v1/account?api_key=${key}` });
    expect([answer.statusCode, answer.json().message]).toEqual([503, expect.stringContaining(message)]);
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    const events = service.logged.map((line) => JSON.parse(line)[1]);
    expect(events.filter((each) => each === event)).toHaveLength(1);
    expect(events).not.toContain('database away');
    expect(await service.statusOf('/readyz')).toBe(200);
  });
});

describe('when the connection of a request breaks', () => {
  /** Ends the connections that wait for a lock. */
  const breakWaiting = async () => {
    const waiting = sql<{ pid: number }>`
      select pid from pg_stat_activity
      where datname = ${database.name} and wait_event_type = 'Lock' and application_name = 'email-verify-service'
    `;
    await vi.waitUntil(async () => (await waiting.execute(db)).rows.length > 0);
    for (const { pid } of (await waiting.execute(db)).rows)
      await sql`select pg_terminate_backend(${pid}::integer)`.execute(db);
  };

  it.each([
    ['/v1/account', {}],
    ['/v1/verify', { email: 'jo@company.example' }],
  ])('answers %s with a 503, and charges nothing in the end', async (path, more) => {
    const { verifier, asked } = createScript();
    const service = runService(database.url, { verifier, deadlineAfter: passSoon });
    await service.opened.ready;
    const accountId = await makeAccount(db, 5);
    const { key } = await storeKey(db, accountId, { mode: 'live' });
    const url = `${path}?${new URLSearchParams({ api_key: key, ...more })}`;
    const pending = await db.transaction().execute(async (transaction) => {
      await sql`lock table accounts in access exclusive mode`.execute(transaction);
      const answer = service.ask({ url });
      await breakWaiting();
      const answered = await answer;
      return answered;
    });
    expect(pending.statusCode).toBe(503);
    expect(pending.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    await until(service, url, 200);
    expect(await creditsOf(db, accountId)).toBe(5 - asked.length);
    expect(asked.length).toBe(path === '/v1/verify' ? 1 : 0);
  });

  inLong('books a result whose verification outlasts the outage once', async () => {
    const { verifier, release, hasStarted } = createHeldScript();
    const service = runService(database.url, { verifier, deadlineAfter: passSoon });
    await service.opened.ready;
    const accountId = await makeAccount(db, 5);
    const { key } = await storeKey(db, accountId, { mode: 'live' });
    const url = `/v1/verify?api_key=${key}&email=jo@company.example&timeout=2`;
    const answer = service.ask({ url });
    await hasStarted;
    await takeAway(database);
    await until(service, '/readyz', 503);
    release();
    const { statusCode } = await answer;
    expect([200, 249, 503]).toContain(statusCode);
    await bringBack(database);
    await until(service, '/readyz', 200);
    const running = db.selectFrom('verifications').select('id').where('state', '=', 'running');
    await vi.waitUntil(async () => (await running.execute()).length === 0);
    const { refund = 0, verification } = await ledgerOf(db, accountId);
    expect([verification, refund]).toEqual([1, statusCode === 503 ? 1 : 0]);
    expect(await creditsOf(db, accountId)).toBe(4 + refund);
  });

  inLong('logs only JSON while many results wait for the database', async () => {
    const { verifier, release, hasStarted } = createHeldScript();
    const service = runService(database.url, { verifier, deadlineAfter: passSoon });
    await service.opened.ready;
    const { key } = await storeKey(db, await makeAccount(db, 20), { mode: 'live' });
    const names = Array.from({ length: 12 }, (_, index) => `jo${index}`);
    const warned = vi.fn();
    process.on('warning', warned);
    onTestFinished(() => void process.off('warning', warned));
    const url = (name: string) => `/v1/verify?api_key=${key}&email=${name}@company.example&timeout=2`;
    const answers = names.map((name) => service.ask({ url: url(name) }));
    await hasStarted;
    const running = db.selectFrom('verifications').select('id').where('state', '=', 'running');
    await vi.waitUntil(async () => (await running.execute()).length === names.length);
    await takeAway(database);
    await until(service, '/readyz', 503);
    release();
    await Promise.all(answers);
    await bringBack(database);
    await until(service, '/readyz', 200);
    await vi.waitUntil(async () => (await running.execute()).length === 0);
    expect(warned.mock.calls).toEqual([]);
  });
});

describe('a server that is stopped', () => {
  it('is waited for at the start and after its end, also while the service stops', async () => {
    const server = await startPostgresServer();
    onTestFinished(() => server.remove());
    await server.kill();
    const service = runService(server.url());
    expect([await service.statusOf('/readyz'), await service.statusOf('/healthz')]).toEqual([503, 200]);
    expect(await service.statusOf('/v1/account')).toBe(503);
    await server.start();
    await until(service, '/readyz', 200);
    expect(await service.statusOf('/v1/account')).toBe(401);
    await server.kill();
    await until(service, '/readyz', 503);
    await server.start();
    await until(service, '/readyz', 200);
    expect(await service.statusOf('/v1/account')).toBe(401);
    await server.kill();
    await service.stop();
  });
});
