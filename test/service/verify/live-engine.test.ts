/** `/v1/verify` from the request to scripted mail servers and back: the engine, the database and the credits together. */
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { VerificationResult } from '../../../src/protocol/result.ts';
import { settleLive } from '../../../src/service/config/sections/live-section.ts';
import { deadlineAfter } from '../../../src/service/verify/live/deadline.ts';
import { engineIn } from '../../engine/world/engine.ts';
import { close, silence, until } from '../../engine/world/mail-server.ts';
import { startWorld, type World } from '../../engine/world/world.ts';
import { inLong } from '../../in-long.ts';
import { withResolvers } from '../../with-resolvers.ts';
import { creditsOf, ledgerOf } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { holdTimers } from '../support/held-timers.ts';
import { type RunningService, type RunningServiceOptions, runService } from '../support/running-service.ts';
import { failureOf, makeCustomer, storeKey } from '../support/stored-service.ts';

const database = await testDatabase();
const { db } = database;
const world = await startWorld({
  'good.test': { mailboxes: ['jane@good.test'] },
  'all.test': {},
  'full.test': { rcpt: '552 5.2.2 Mailbox full' },
  'blocked.test': { rcpt: '550 5.7.1 Blocked using zen.spamhaus.org' },
  'slow.test': {},
  'eight.test': {},
  'crowded.test': { banner: ['421 4.7.0 Too many', close] },
  'silent.test': { rcpt: silence },
});
afterAll(() => world.close());

async function start(
  more: Partial<World['live']> & { socksProxies?: string[] } = {},
  options: Pick<RunningServiceOptions, 'deadlineAfter'> = {},
): Promise<RunningService> {
  const live = settleLive({ ...world.live, ...more } as never, '/');
  const service = runService(database.url, { live, ...options });
  await service.opened.ready;
  return service;
}
const makeKey = (credits = 10) => makeCustomer(db, credits, { mode: 'live' });
const url = (key: string, email: string, more: Record<string, string> = {}, path = '/v1/verify') =>
  `${path}?${new URLSearchParams({ api_key: key, email, ...more })}`;

const PROVIDERS = ['gmail.com', 'outlook.com', 'icloud.com', 'yahoo.com'];
const withoutDuration = ({ duration, ...others }: VerificationResult) => others;

it('gives the same result as the command does, and books a credit for each but the unknown ones', async () => {
  const service = await start();
  const { key, accountId } = await makeKey();
  const engine = engineIn(world);
  const addresses = [
    ...['jane@good.test', 'john@good.test', 'jane@full.test', 'jane@blocked.test', 'not an address'],
    ...['jane@gone.test', 'info@all.test'],
  ];
  for (const address of addresses) {
    const answer = await service.ask({ url: url(key, address, { accept_all: 'true' }) });
    expect(answer.statusCode).toBe(200);
    expect(withoutDuration(answer.json())).toEqual(
      withoutDuration(await engine.check(address, { acceptAll: true })),
    );
  }
  expect(await creditsOf(db, accountId)).toBe(10 - (addresses.length - 1));
  await engine.close();
  expect(service.logged.join()).not.toMatch(/jane|john|@/);
});

it('answers 249 in time, goes on, and has the result afterwards for one credit', async () => {
  const { promise: answered, resolve: answer } = withResolvers();
  const slow = world.server('slow.test');
  slow.set({ rcpt: [until(answered), '250 OK'] });
  const service = await start();
  const { key, accountId } = await makeKey();
  const deadlines = holdTimers((ms) => ms === 2000);
  const asked = service.ask({ url: url(key, 'jane@slow.test', { timeout: '2' }) });
  await slow.whenSent(/^RCPT/);
  expect(deadlines.set).toEqual([2000, 2000]);
  deadlines.fire();
  const first = await asked;
  expect(first.statusCode).toBe(249);
  expect(first.json().message).toMatch(/again/);
  answer!();
  const second = await service.ask({ url: url(key, 'jane@slow.test', { timeout: '2' }) });
  expect([second.statusCode, second.json().reason]).toEqual([200, 'accepted_email']);
  const explained = await service.ask({ url: url(key, 'jane@slow.test', {}, '/v1/verify/explain') });
  expect(explained.json().evidence.map(({ stage }: { stage: string }) => stage)).toContain('rcpt');
  expect(await creditsOf(db, accountId)).toBe(9);
  expect(slow.lines().filter((line) => line.startsWith('RCPT'))).toHaveLength(1);
});

it('has one conversation and takes one credit for eight equal requests at once', async () => {
  const { promise: allWait, resolve: answer } = withResolvers();
  world.server('eight.test').set({ rcpt: [until(allWait), '250 OK'] });
  let waiting = 0;
  // A request looks at its deadline once while it begins, and again when it waits for the result.
  const countWaits = (ms: number) => {
    const deadline = deadlineAfter(ms);
    const { passed } = deadline;
    let looks = 0;
    return Object.defineProperty(deadline, 'passed', {
      get() {
        looks += 1;
        if (looks === 2) waiting += 1;
        if (waiting === 8) answer!();
        return passed;
      },
    });
  };
  const services = await Promise.all([1, 2].map(() => start({}, { deadlineAfter: countWaits })));
  const { key, accountId } = await makeKey();
  const request = { url: url(key, 'jane@eight.test', { timeout: '10' }) };
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => services[index % 2]!.ask(request)),
  );
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  expect(await creditsOf(db, accountId)).toBe(9);
  expect(await ledgerOf(db, accountId)).toEqual({ 'top-up': 1, verification: 1 });
  expect(world.server('eight.test').connections).toBe(1);
});

it('explains a result with the steps that led to it, and without addresses', async () => {
  const service = await start();
  const { key } = await makeKey();
  const answer = await service.ask({ url: url(key, 'john@good.test', {}, '/v1/verify/explain') });
  expect(answer.statusCode).toBe(200);
  const { evidence, ...result } = answer.json();
  const told = { email: 'john@good.test', reason: 'rejected_email', mx_record: 'mx.good.test' };
  expect(result).toMatchObject(told);
  const verdict = { stage: 'verdict', rule: 'there is no such mailbox' };
  expect(evidence).toContainEqual(expect.objectContaining(verdict));
  expect(JSON.stringify(evidence)).toContain('User unknown');
  expect(JSON.stringify(evidence)).not.toContain('john');
});

inLong('holds back from an organisation in all processes together', async () => {
  const services = await Promise.all([start(), start()]);
  const { key } = await makeKey(100);
  const reasons = new Set<string>();
  const ask = async (index: number, timeout = '2') => {
    const request = { url: url(key, `jane${index}@crowded.test`, { timeout }) };
    const answer = await services[index % 2]!.ask(request);
    if (answer.statusCode === 200) reasons.add(answer.json().reason);
  };
  // This one must have its result, also on a busy machine.
  await ask(0, '10');
  expect(reasons).toEqual(new Set(['unavailable_smtp']));
  await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index + 1)));
  expect([...reasons]).toEqual(['unavailable_smtp']);
  expect(world.server('crowded.test').connections).toBeLessThanOrEqual(3);
});

it('stops at once while it looks at the machine, and says nothing about what it could not see', async () => {
  for (const domain of PROVIDERS) world.dns.set(domain, { trouble: 'silent' });
  // The look has eight seconds. No timer as long as that ends it.
  const long = holdTimers((ms) => ms >= 3000);
  const service = await start();
  await world.dns.whenAsked('gmail.com', 'MX');
  await service.stop();
  expect(long.set).toEqual([]);
  expect(service.logged.filter((line) => line.includes('doctor'))).toEqual([]);
});

describe('a service that cannot verify', () => {
  it('answers 503 to live keys when port 25 is closed for certain, and charges nothing', async () => {
    for (const [index, domain] of PROVIDERS.entries()) {
      world.dns.set(domain, { MX: [[10, `mx.${domain}`]] });
      world.dns.set(`mx.${domain}`, { A: [`127.0.9.${index + 1}`] });
    }
    const service = await start();
    const { key, accountId } = await makeKey();
    const request = { url: url(key, 'jane@good.test', { smtp: 'false' }) };
    await vi.waitUntil(async () => (await service.ask(request)).statusCode === 503, { interval: 50 });
    const before = await creditsOf(db, accountId);
    const [status, message] = failureOf(await service.ask({ url: url(key, 'jane@good.test') }));
    expect([status, message]).toEqual([503, expect.stringContaining('mail server')]);
    expect(await creditsOf(db, accountId)).toBe(before);
    for (const domain of PROVIDERS) world.dns.set(domain, undefined);
  });

  it('answers 503 to live keys without "live", and samples to test keys', async () => {
    const service = runService(database.url);
    await service.opened.ready;
    const { key, accountId } = await makeKey();
    const [status, message] = failureOf(await service.ask({ url: url(key, 'jane@good.test') }));
    expect([status, message]).toEqual([503, expect.stringContaining('"live"')]);
    expect(await creditsOf(db, accountId)).toBe(10);
    const test = await storeKey(db, accountId, { kind: 'private', mode: 'test' });
    expect((await service.ask({ url: url(test.key, 'jane@good.test') })).statusCode).toBe(200);
  });
});

it('stops in time while a verification runs, and gives its credit back', async () => {
  const service = await start();
  const { key, accountId } = await makeKey();
  // The verification has twelve seconds. No timer as long as that ends it.
  holdTimers((ms) => ms >= 5000);
  const asked = service.ask({ url: url(key, 'jane@silent.test', { timeout: '2' }) });
  await world.server('silent.test').whenSent(/^RCPT/);
  await service.stop();
  await asked.catch(() => undefined);
  await vi.waitUntil(async () => (await creditsOf(db, accountId)) === 10, { interval: 50 });
});
