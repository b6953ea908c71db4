/** What is known of a domain: when it is asked, who waits for it, and what it makes of an address. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Claim, MailDomain } from '../../src/engine/domains/domain-facts.ts';
import {
  createMemoryDomainFacts,
  type MemoryDomainFacts,
} from '../../src/engine/domains/memory-domain-facts.ts';
import { FACT_AWAITED, HELD_BACK } from '../../src/engine/verdict.ts';
import { ended, stopClock } from './world/clock.ts';
import { type EngineInWorld, engineIn, told } from './world/engine.ts';
import { type MailScript, type Step, silence } from './world/mail-server.ts';
import { startWorld, type World } from './world/world.ts';

/** The names that exist. */
const isPerson = (recipient: string) => /^(jane|user\d*)@/.test(recipient);
const others = (reply: Step): MailScript => ({
  rcpt: (recipient) => (isPerson(recipient) ? '250 OK' : reply),
});

const SCRIPTS: Record<string, MailScript> = {
  'exact.test': others('550 5.1.1 User unknown'),
  'all.test': {},
  'other.test': {},
  'four.test': others('450 4.2.0 Try again'),
  'silent.test': others(silence),
  'closed.test': { rcpt: () => '550 5.1.1 User unknown' },
};
const DAY_MS = 24 * 3_600_000;
const never = new AbortController().signal;

let world: World;
let facts: MemoryDomainFacts;
let engine: EngineInWorld;
let now: number;
beforeEach(async () => {
  world = await startWorld(SCRIPTS);
  stopClock();
  now = Date.UTC(2026, 0, 1);
  facts = createMemoryDomainFacts({ now: () => new Date(now) });
  engine = engineIn(world, {}, { domainFacts: facts });
});
afterEach(async () => {
  await engine.close();
  await world.close();
});

/** The impossible addresses that a server was asked about. */
const impossible = (domain: string) =>
  world
    .server(domain)
    .lines()
    .filter((line) => line.startsWith('RCPT') && !isPerson(line.slice('RCPT TO:<'.length)));
const ask = (domain: string, local = 'jane') => engine.check(`${local}@${domain}`, { acceptAll: true });
const inBatch = (domain: string, local = 'jane') =>
  engine.verify(`${local}@${domain}`, { acceptAll: true, inBackground: true, timeoutMs: 30_000 });
const placeOf = (name: string): MailDomain => ({ name, organisation: name });
const claim = async (name: string) => (await facts.claim(placeOf(name), never)) as Claim;
const learn = async (name: string, acceptsAll: boolean | null) =>
  (await claim(name)).end({ acceptsAll, server: `mx.${name}`, code: acceptsAll ? 250 : 550 });

it.each([
  ['all.test', { accept_all: true, state: 'risky', reason: 'low_deliverability', score: 70 }],
  ['exact.test', { accept_all: false, state: 'deliverable', reason: 'accepted_email', score: 100 }],
  ['four.test', { accept_all: null, state: 'deliverable', reason: 'accepted_email', score: 100 }],
])('asks %s once for many addresses at a time, and tells it of all', async (domain, expected) => {
  const all = await Promise.all(Array.from({ length: 20 }, (_, index) => inBatch(domain, `user${index}`)));
  for (const { result } of all) expect(result).toMatchObject(expected);
  expect(impossible(domain)).toHaveLength(1);
  expect(await ask(domain)).toMatchObject(expected);
  expect(impossible(domain)).toHaveLength(1);
});

it.each([
  ['all.test', 7 * DAY_MS],
  ['exact.test', DAY_MS],
  ['four.test', 600_000],
])('asks %s again when its time is over, after %s ms', async (domain, ms) => {
  await ask(domain);
  now += ms - 1;
  await ask(domain);
  expect(impossible(domain)).toHaveLength(1);
  now += 1;
  await ask(domain);
  expect(impossible(domain)).toHaveLength(2);
});

it('asks again when another organisation runs the mail servers', async () => {
  await ask('all.test');
  world.dns.set('all.test', { MX: [[10, 'mx.other.test']] });
  // The name servers' answers are kept, so another process asks them.
  const other = engineIn(world, {}, { domainFacts: facts });
  expect(await other.check('jane@all.test')).toMatchObject({ reason: 'accepted_email' });
  await other.check('jane@all.test', { acceptAll: true });
  expect(impossible('other.test')).toHaveLength(1);
  await other.close();
});

it('asks nobody whose address is not accepted', async () => {
  expect(await ask('closed.test')).toMatchObject({ reason: 'rejected_email' });
  expect(impossible('closed.test')).toEqual([]);
  expect(await facts.look(placeOf('closed.test'), never)).toEqual({ kind: 'unknown' });
});

describe('a request without accept_all', () => {
  const request = (domain: string) => engine.verify(`jane@${domain}`);

  it('never asks', async () => {
    expect((await request('all.test')).result).toMatchObject({ reason: 'accepted_email', accept_all: null });
    expect(impossible('all.test')).toEqual([]);
  });

  it('uses what is known, and its evidence says since when and how', async () => {
    await learn('all.test', true);
    const { result, evidence } = await request('all.test');
    expect(result).toMatchObject({
      ...{ state: 'risky', reason: 'low_deliverability', score: 70, accept_all: null },
    });
    expect(evidence).toContainEqual({
      ...{ atMs: expect.any(Number), stage: 'probe', server: 'mx.all.test', code: 250 },
      text: 'Not asked: known since 2026-01-01T00:00:00Z, when an impossible address was accepted',
    });
    expect(evidence.at(-1)?.rule).toBe('the domain is known to accept every address');
    await learn('exact.test', false);
    const exact = await request('exact.test');
    expect(exact.result).toMatchObject({ reason: 'accepted_email', score: 100, accept_all: null });
    expect(told(exact.evidence)).toContain('an impossible address was refused');
  });

  it('waits for nobody who asks', async () => {
    await claim('all.test');
    expect((await request('all.test')).result).toMatchObject({ reason: 'accepted_email', accept_all: null });
  });
});

describe('while another conversation asks', () => {
  it('puts an address of a batch back, without a connection', async () => {
    await claim('all.test');
    const { result, evidence } = await inBatch('all.test');
    expect(result).toMatchObject({ state: 'unknown', reason: 'unavailable_smtp' });
    expect(evidence.at(-1)?.rule).toBe(FACT_AWAITED);
    expect(world.server('all.test').connections).toBe(0);
  });

  it('lets a request wait without a connection, and tells it', async () => {
    const asking = await claim('all.test');
    const request = engine.engine.verifyWithin({
      ...{ address: 'jane@all.test', smtp: true, acceptAll: true, timeoutMs: 5000 },
    });
    await ended(world.server('all.test').whenEmpty());
    await asking.end({ acceptsAll: true, server: 'mx.all.test', code: 250 });
    expect((await ended(request)).result).toMatchObject({ reason: 'low_deliverability', accept_all: true });
    expect(impossible('all.test')).toEqual([]);
  });

  it('lets a request go on without when its time is over', async () => {
    await claim('all.test');
    expect(await ask('all.test')).toMatchObject({ reason: 'accepted_email', accept_all: null });
  });
});

it('counts silence as an answer that says nothing', async () => {
  const { result } = await engine.verify('jane@silent.test', { acceptAll: true, timeoutMs: 2000 });
  expect(result).toMatchObject({ reason: 'accepted_email', accept_all: null });
  expect(await facts.look(placeOf('silent.test'), never)).toMatchObject({
    ...{ kind: 'known', fact: { acceptsAll: null, code: null } },
  });
  const { evidence } = await engine.verify('user@silent.test', { acceptAll: true });
  expect(told(evidence)).toContain('Not asked: in vain at 2026-01-01T00:00:00Z, as no reply came');
  expect(impossible('silent.test')).toHaveLength(1);
});

it('does not call it silence when the service stops', async () => {
  const request = engine.engine.verifyWithin({
    ...{ address: 'jane@silent.test', smtp: true, acceptAll: true, timeoutMs: 5000 },
  });
  await ended(world.server('silent.test').whenSent(/RCPT TO:<(?!jane)/));
  await engine.close();
  await ended(request);
  expect(await facts.look(placeOf('silent.test'), never)).toEqual({ kind: 'unknown' });
});

describe('at Microsoft, where the impossible address needs its own connection', () => {
  const HOST = 'acme-test.mail.protection.outlook.com';
  beforeEach(async () => {
    world.dns.set('acme.test', { MX: [[0, HOST]] });
    world.dns.set(HOST, { A: [world.server('exact.test').ip] });
    await engine.close();
    engine = engineIn(
      world,
      { perHost: { connections: 1, perMinute: 1, recipientsPerConnection: 20 } },
      { domainFacts: facts },
    );
  });

  it('holds an address of a batch back, and lets others ask meanwhile', async () => {
    const { evidence } = await inBatch('acme.test');
    expect(evidence.at(-1)?.rule).toBe(HELD_BACK);
    const domain = { name: 'acme.test', organisation: 'microsoft' };
    expect(await facts.look(domain, never)).toEqual({ kind: 'unknown' });
  });

  it('lets a request go on without', async () => {
    expect(await ask('acme.test')).toMatchObject({ reason: 'accepted_email', accept_all: null });
  });
});

it('asks no provider that accepts every address, and is known for it', async () => {
  world.dns.set('yahoo-user.test', { MX: [[0, 'mta7.am0.yahoodns.net']] });
  world.dns.set('mta7.am0.yahoodns.net', { A: [world.server('exact.test').ip] });
  expect((await inBatch('yahoo-user.test')).result).toMatchObject({
    ...{ reason: 'low_deliverability', accept_all: true },
  });
  expect(impossible('exact.test')).toEqual([]);
  expect(facts.size).toBe(0);
});
