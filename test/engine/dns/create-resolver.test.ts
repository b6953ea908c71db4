/** The resolver against a name server on loopback, which counts the questions. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createResolver, type ResolverOptions } from '../../../src/engine/dns/create-resolver.ts';
import type { Resolver } from '../../../src/engine/dns/resolver.ts';
import { isPending, stopClock } from '../world/clock.ts';
import { type DnsServer, startDnsServer } from '../world/dns-server.ts';
import type { NamedTrouble } from '../world/dns-troubles.ts';
import type { Entry, Zone } from '../world/dns-zone.ts';

const NAME = 'example.test';
const MX = { MX: [[10, 'mx.example.test']] } as const satisfies Entry;
const FOUND = { kind: 'found', records: [{ preference: 10, exchange: 'mx.example.test' }] };

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

async function serve(zone: Zone): Promise<DnsServer> {
  const server = await startDnsServer(zone);
  closings.push(() => server.close());
  return server;
}

function resolverFor(servers: readonly string[], options: ResolverOptions = {}): Resolver {
  const resolver = createResolver({ servers, ...options });
  closings.push(() => resolver.close());
  return resolver;
}

/**
 * A world of one server. Its clock stands still unless `clock.now` is changed.
 *
 * @param firstWaitMs by default so long that a machine that stalls asks no second time
 */
async function world(zone: Zone, firstWaitMs = 60_000) {
  const server = await serve(zone);
  const clock = { now: 0 };
  return { server, clock, resolver: resolverFor([server.address], { now: () => clock.now, firstWaitMs }) };
}

/** Long enough for every answer that comes, and shorter than the wait for one that does not. A test that needs it all fails. */
const patient = () => AbortSignal.timeout(30_000);

async function expectNothingOpen(): Promise<void> {
  // What is closed is gone at the end of the event loop's round, after its immediates.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  const open = process.getActiveResourcesInfo().filter((kind) => /UDP|TCPSocketWrap|TCPServer/.test(kind));
  expect(open).toEqual([]);
}

describe('the records', () => {
  it('are those of the server, for each type', async () => {
    const { resolver } = await world({
      [NAME]: {
        ...MX,
        A: ['192.0.2.1', '192.0.2.2'],
        AAAA: ['2001:db8::1'],
        TXT: ['v=spf1 -all', 'x'.repeat(600)],
      },
      '1.2.0.192.in-addr.arpa': { PTR: ['mail.example.test'] },
    });
    const found = (...records: string[]) => ({ kind: 'found', records });
    expect(await resolver.mx(NAME, patient())).toEqual(FOUND);
    expect(await resolver.a(NAME, patient())).toEqual(found('192.0.2.1', '192.0.2.2'));
    expect(await resolver.aaaa(NAME, patient())).toEqual(found('2001:db8::1'));
    expect(await resolver.txt(NAME, patient())).toEqual(found('v=spf1 -all', 'x'.repeat(600)));
    expect(await resolver.ptr('192.0.2.1', patient())).toEqual(found('mail.example.test'));
  });

  it('are found through an alias', async () => {
    const { resolver } = await world({ [NAME]: { CNAME: 'Other.test' }, 'other.test': MX });
    expect(await resolver.mx(NAME, patient())).toEqual(FOUND);
  });

  it('are missing behind an alias that leads nowhere, and one that loops fails', async () => {
    const { resolver } = await world({
      [NAME]: { CNAME: 'gone.test' },
      'a.test': { CNAME: 'b.test' },
      'b.test': { CNAME: 'a.test' },
    });
    expect(await resolver.mx(NAME, patient())).toEqual({ kind: 'no-name' });
    expect(await resolver.mx('a.test', patient())).toEqual({ kind: 'failed', code: 'too many aliases' });
  });

  it('may be 500, which come over TCP', async () => {
    const many = Array.from({ length: 500 }, (_, n) => [n, `mx${n}.example.test`] as const);
    const { server, resolver } = await world({ [NAME]: { MX: many } });
    expect(await resolver.mx(NAME, patient())).toMatchObject({ records: { length: 500 } });
    expect(server.questions.map(({ via }) => via)).toEqual(['udp', 'tcp']);
  });

  it('cause no question for text that is not a name or IP address', async () => {
    const { server, resolver } = await world({});
    expect(await resolver.a('two words.test', patient())).toEqual({ kind: 'no-name' });
    expect(await resolver.mx('', patient())).toEqual({ kind: 'no-name' });
    expect(await resolver.ptr('mail.example.test', patient())).toEqual({ kind: 'no-name' });
    expect(server.questions).toEqual([]);
  });
});

describe('one question', () => {
  it('is enough within the TTL', async () => {
    const { server, clock, resolver } = await world({ [NAME]: { ...MX, ttl: 300 } });
    for (const now of [0, 299_999]) {
      clock.now = now;
      expect(await resolver.mx(NAME, patient())).toEqual(FOUND);
    }
    expect(server.count(NAME, 'MX')).toBe(1);
    clock.now = 300_000;
    await resolver.mx(NAME, patient());
    expect(server.count(NAME, 'MX')).toBe(2);
  });

  it('is enough for all callers at the same time, however they write the name', async () => {
    const { server, resolver } = await world({ [NAME]: MX });
    const names = Array.from({ length: 50 }, (_, n) => (n % 2 ? 'Example.Test.' : NAME));
    const lookups = await Promise.all(names.map((name) => resolver.mx(name, patient())));
    expect(lookups).toEqual(names.map(() => FOUND));
    expect(server.count(NAME)).toBe(1);
  });

  it.each<[string, Entry | undefined, string]>([
    ['a name that does not exist', undefined, 'no-name'],
    ['a name without such records', { A: ['192.0.2.1'], ttl: 86_400 }, 'no-records'],
  ])('is enough for a minute about %s', async (_, entry, kind) => {
    const { server, clock, resolver } = await world(entry ? { [NAME]: entry } : {});
    for (const now of [0, 59_999, 60_000]) {
      clock.now = now;
      expect(await resolver.mx(NAME, patient())).toEqual({ kind });
      expect(server.count(NAME)).toBe(now < 60_000 ? 1 : 2);
    }
  });

  it('is enough for a second when it failed', async () => {
    const { server, clock, resolver } = await world({ [NAME]: { trouble: 'SERVFAIL' } });
    await resolver.mx(NAME, patient());
    clock.now = 999;
    await resolver.mx(NAME, patient());
    expect(server.count(NAME)).toBe(1);
    server.set(NAME, MX);
    clock.now = 1000;
    expect(await resolver.mx(NAME, patient())).toEqual(FOUND);
  });

  it('goes on for the others when the first caller runs out of time', async () => {
    const { server, resolver } = await world({ [NAME]: { ...MX, trouble: { delayMs: 100 } } });
    const leaving = new AbortController();
    const first = resolver.mx(NAME, leaving.signal);
    const second = resolver.mx(NAME, patient());
    await server.whenAsked(NAME, 'MX');
    leaving.abort();
    expect(await first).toEqual({ kind: 'no-answer' });
    expect(await second).toEqual(FOUND);
    expect(server.count(NAME)).toBe(1);
  });

  it('is sent again after all waiting callers have left', async () => {
    const { server, resolver } = await world({ [NAME]: { trouble: 'silent' } });
    const leaving = new AbortController();
    const left = resolver.mx(NAME, leaving.signal);
    await server.whenAsked(NAME, 'MX');
    leaving.abort();
    expect(await left).toEqual({ kind: 'no-answer' });
    server.set(NAME, MX);
    expect(await resolver.mx(NAME, patient())).toEqual(FOUND);
  });

  it('is not sent for a caller who has left, or after the close', async () => {
    const { server, resolver } = await world({ [NAME]: MX });
    expect(await resolver.mx(NAME, AbortSignal.abort())).toEqual({ kind: 'no-answer' });
    resolver.close();
    expect(await resolver.mx(NAME, patient())).toEqual({ kind: 'no-answer' });
    expect(server.questions).toEqual([]);
  });

  it('ends without an answer when the resolver is closed', async () => {
    const { server, resolver } = await world({ [NAME]: { trouble: 'silent' } });
    const lookup = resolver.mx(NAME, patient());
    await server.whenAsked(NAME, 'MX');
    resolver.close();
    expect(await lookup).toEqual({ kind: 'no-answer' });
  });
});

describe('a fault', () => {
  it.each<[NamedTrouble, object]>([
    ['SERVFAIL', { kind: 'failed', code: 'SERVFAIL' }],
    ['REFUSED', { kind: 'failed', code: 'REFUSED' }],
    ['FORMERR', { kind: 'failed', code: 'FORMERR' }],
    ['NXDOMAIN', { kind: 'no-name' }],
    ['NODATA', { kind: 'no-records' }],
    ['referral', { kind: 'failed', code: 'referral' }],
    ['no-edns', FOUND],
    ['truncated', FOUND],
    ['slow-tcp', FOUND],
    ['no-tcp', { kind: 'failed', code: 'truncated, and no answer over TCP' }],
    ['short-tcp', { kind: 'failed', code: 'truncated, and no answer over TCP' }],
    ['truncated-tcp', { kind: 'failed', code: 'truncated over TCP' }],
    ['garbage-tcp', { kind: 'failed', code: 'unreadable' }],
    ['wrong-id-first', FOUND],
    ['wrong-question-first', FOUND],
    ['garbage-first', FOUND],
    ['garbage', { kind: 'failed', code: 'unreadable' }],
    ['short', { kind: 'failed', code: 'unreadable' }],
    ['lying-counts', { kind: 'failed', code: 'unreadable' }],
    ['pointer-loop', { kind: 'failed', code: 'unreadable' }],
  ])('of the kind "%s" gets its outcome', async (trouble, outcome) => {
    const clock = stopClock();
    const { resolver } = await world({ [NAME]: { ...MX, trouble } });
    expect(await clock.run(resolver.mx(NAME, patient()))).toEqual(outcome);
  });

  it.each<NamedTrouble>(['silent', 'wrong-id', 'wrong-question', 'silent-tcp'])(
    'of the kind "%s" ends with the time of who waits',
    async (trouble) => {
      const { server, resolver } = await world({ [NAME]: { ...MX, trouble } }, 1_000);
      const clock = stopClock();
      const leaving = new AbortController();
      const lookup = resolver.mx(NAME, leaving.signal);
      await server.whenAsked(NAME, 'MX');
      // It asks again, and still waits.
      await clock.advance(1500);
      expect(await isPending(lookup)).toBe(true);
      expect(server.count(NAME)).toBeGreaterThan(1);
      leaving.abort();
      expect(await lookup).toEqual({ kind: 'no-answer' });
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it('of one name does not affect another', async () => {
    const { resolver } = await world({ 'bad.test': { trouble: 'silent' }, [NAME]: MX });
    const leaving = new AbortController();
    const bad = resolver.mx('bad.test', leaving.signal);
    expect(await resolver.mx(NAME, patient())).toEqual(FOUND);
    leaving.abort();
    expect(await bad).toEqual({ kind: 'no-answer' });
  });
});

describe('several servers', () => {
  const QUICK = { firstWaitMs: 30 };

  it('are asked in turn, again and again, while all are silent', async () => {
    const [first, second] = [await serve({ [NAME]: { trouble: 'silent' } }), await serve({})];
    second.set(NAME, { trouble: 'silent' });
    const clock = stopClock();
    const lookup = clock.run(resolverFor([first.address, second.address], QUICK).mx(NAME, patient()));
    await first.whenAsked(NAME, 'MX', 2);
    first.set(NAME, MX);
    await second.whenAsked(NAME, 'MX', 2);
    second.set(NAME, MX);
    expect(await lookup).toEqual(FOUND);
  });

  it('are not asked again after eight questions', async () => {
    const server = await serve({ [NAME]: { trouble: 'silent' } });
    const never = new AbortController().signal;
    const lookup = resolverFor([server.address], { firstWaitMs: 1 }).mx(NAME, never);
    expect(await lookup).toEqual({ kind: 'no-answer' });
    expect(server.count(NAME)).toBe(8);
  });

  it.each<NamedTrouble>(['SERVFAIL', 'REFUSED', 'garbage', 'no-tcp'])(
    'help out when one says %s, without a wait',
    async (trouble) => {
      const bad = await serve({ [NAME]: { ...MX, trouble } });
      const good = await serve({ [NAME]: MX });
      const resolver = resolverFor([bad.address, good.address], { firstWaitMs: 60_000 });
      expect(await resolver.mx(NAME, patient())).toEqual(FOUND);
    },
  );

  it('help out when one does not run or floods the socket, without a wait', async () => {
    const gone = await startDnsServer({});
    await gone.close();
    const flooding = await serve({ [NAME]: { ...MX, trouble: 'flood' } });
    const good = await serve({ [NAME]: MX });
    const servers = [gone.address, flooding.address, good.address];
    expect(await resolverFor(servers, { firstWaitMs: 60_000 }).mx(NAME, patient())).toEqual(FOUND);
  });

  it('fail together when each of them fails', async () => {
    const { address: first } = await serve({ [NAME]: { trouble: 'REFUSED' } });
    const { address: second } = await serve({ [NAME]: { trouble: 'SERVFAIL' } });
    const resolver = resolverFor([first, second], { firstWaitMs: 60_000 });
    expect(await resolver.mx(NAME, patient())).toEqual({ kind: 'failed', code: 'REFUSED' });
  });

  it('fail when one fails and the others have been silent for long enough', async () => {
    const silent = await serve({ [NAME]: { trouble: 'silent' } });
    const failing = await serve({ [NAME]: { trouble: 'SERVFAIL' } });
    const resolver = resolverFor([failing.address, silent.address], QUICK);
    expect(await resolver.mx(NAME, patient())).toEqual({ kind: 'failed', code: 'SERVFAIL' });
    expect([silent.count(NAME), failing.count(NAME)]).toEqual([1, 1]);
  });

  it('may answer late: the answer of the first still counts', async () => {
    const clock = stopClock();
    const late = await serve({ [NAME]: { ...MX, trouble: { delayMs: 120 } } });
    const silent = await serve({ [NAME]: { trouble: 'silent' } });
    const lookup = resolverFor([late.address, silent.address], QUICK).mx(NAME, patient());
    expect(await clock.run(lookup)).toEqual(FOUND);
    expect(silent.count(NAME)).toBe(1);
  });

  it('begin with the one that answered last', async () => {
    const clock = stopClock();
    const silent = await serve({ '*.test': { trouble: 'silent' } });
    const good = await serve({ '*.test': MX });
    const resolver = resolverFor([silent.address, good.address], QUICK);
    await clock.run(resolver.mx('a.test', patient()));
    await clock.run(resolver.mx('b.test', patient()));
    expect([silent.count('a.test'), silent.count('b.test')]).toEqual([1, 0]);
  });

  it('may all be down, and then there is no answer and no open socket', async () => {
    const clock = stopClock();
    const gone = await startDnsServer({});
    await gone.close();
    for (const server of [gone.address, '[::1]:1', '255.255.255.255']) {
      const lookup = resolverFor([server], QUICK).mx(NAME, new AbortController().signal);
      expect(await clock.run(lookup)).toEqual({ kind: 'no-answer' });
    }
    await expectNothingOpen();
  });
});

it('closes every socket and timer, however a question ends', async () => {
  const { server, resolver } = await world({
    [NAME]: MX,
    'tcp.test': { ...MX, trouble: 'silent-tcp' },
    'silent.test': { trouble: 'silent' },
    'bad.test': { trouble: 'SERVFAIL' },
  });
  const clock = stopClock();
  const leaving = new AbortController();
  const names = [NAME, 'tcp.test', 'silent.test', 'bad.test', 'gone.test'];
  const lookups = Promise.all(names.map((name) => resolver.mx(name, leaving.signal)));
  await clock.advance(150);
  leaving.abort();
  await lookups;
  expect(vi.getTimerCount()).toBe(0);
  await server.close();
  closings.length = 0;
  await expectNothingOpen();
});

it('refuses an invalid name server', () => {
  expect(() => createResolver({ servers: ['dns.example'] })).toThrow('got "dns.example"');
});

it('makes a resolver of the system’s servers and of its own clock', () => {
  createResolver().close();
});

it('closes a socket that is not open yet', async () => {
  const server = await serve({});
  const leaving = new AbortController();
  const lookup = resolverFor([server.address]).mx(NAME, leaving.signal);
  leaving.abort();
  expect(await lookup).toEqual({ kind: 'no-answer' });
  await server.close();
  closings.length = 0;
  await expectNothingOpen();
});
