/** The way to the mail servers, through the real resolver and a name server on loopback. */
import { afterEach, describe, expect, it } from 'vitest';
import { createResolver } from '../../../src/engine/dns/create-resolver.ts';
import { findMailHosts, type MailHostOptions } from '../../../src/engine/dns/mail-hosts.ts';
import { stopClock } from '../world/clock.ts';
import { type DnsServer, startDnsServer } from '../world/dns-server.ts';
import type { Zone } from '../world/dns-zone.ts';
import { PRIVATE_ADDRESSES } from '../world/private-addresses.ts';

const DOMAIN = 'example.test';
const [IP, OTHER_IP, IPV6] = ['93.184.216.34', '93.184.216.35', '2606:4700:4700::1111'];

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

type Options = Partial<MailHostOptions> & { readonly signal?: AbortSignal };

const DEFAULTS = { allowPrivateAddresses: false, useIpv6: false, random: Math.random, settleMs: 50 };
const mx = (...MX: (readonly [preference: number, exchange: string])[]) => ({ MX });

async function world(zone: Zone) {
  const server: DnsServer = await startDnsServer(zone);
  const resolver = createResolver({ servers: [server.address] });
  closings.push(() => server.close(), resolver.close);
  const find = ({ signal = AbortSignal.timeout(4000), ...options }: Options = {}) =>
    findMailHosts(DOMAIN, { ...DEFAULTS, resolver, ...options }, signal);
  return { server, find };
}

const hosts = (...list: (readonly [string, ...string[]])[]) => ({
  kind: 'hosts',
  hosts: list.map(([name, ...ips]) => ({ name, ips })),
  preferred: expect.any(Array),
  hasOthers: expect.any(Boolean),
});
const nowhere = (why: string) => ({ kind: 'nowhere', why });
const failed = (why: string) => ({ kind: 'failed', why });

describe('mail servers', () => {
  it('come by preference', async () => {
    const { find } = await world({
      [DOMAIN]: mx([20, 'mx2.example.test'], [10, 'MX1.example.test.']),
      'mx1.example.test': { A: [IP, OTHER_IP] },
      'mx2.example.test': { A: [OTHER_IP] },
    });
    const found = await find();
    expect(found).toEqual(hosts(['mx1.example.test', IP, OTHER_IP], ['mx2.example.test', OTHER_IP]));
    expect(found).toMatchObject({ preferred: ['mx1.example.test'] });
  });

  it('of equal preference come in random order', async () => {
    const { find } = await world({
      [DOMAIN]: mx([10, 'a.test'], [10, 'b.test']),
      '*.test': { A: [IP] },
    });
    expect(await find({ random: () => 0 })).toEqual(hosts(['b.test', IP], ['a.test', IP]));
    expect(await find({ random: () => 0.99 })).toEqual(hosts(['a.test', IP], ['b.test', IP]));
  });

  it('are found through aliases', async () => {
    const { find } = await world({
      [DOMAIN]: { CNAME: 'other.test' },
      'other.test': { MX: [[10, 'mx.test']] },
      'mx.test': { CNAME: 'host.test' },
      'host.test': { A: [IP] },
    });
    expect(await find()).toEqual(hosts(['mx.test', IP]));
  });

  it('are the domain itself without an MX', async () => {
    const { find } = await world({ [DOMAIN]: { A: [IP], TXT: ['x'] } });
    expect(await find()).toEqual(hosts([DOMAIN, IP]));
  });

  it('have eight IP addresses at most', async () => {
    const many = Array.from({ length: 300 }, (_, n) => `93.184.216.${n % 250}`);
    const { find } = await world({ [DOMAIN]: { A: many } });
    expect(await find()).toEqual(hosts([DOMAIN, ...many.slice(0, 8)]));
  });

  it('are used despite a null MX next to them', async () => {
    const { find } = await world({
      [DOMAIN]: mx([0, '.'], [10, 'mx.test']),
      'mx.test': { A: [IP] },
    });
    expect(await find()).toEqual(hosts(['mx.test', IP]));
  });
});

describe('IPv6', () => {
  const ZONE: Zone = { [DOMAIN]: { MX: [[10, 'mx.test']] }, 'mx.test': { A: [IP], AAAA: [IPV6] } };
  const V6_ONLY: Zone = { ...ZONE, 'mx.test': { AAAA: [IPV6] } };

  it('comes after IPv4', async () => {
    expect(await (await world(ZONE)).find({ useIpv6: true })).toEqual(hosts(['mx.test', IP, IPV6]));
    expect(await (await world(V6_ONLY)).find({ useIpv6: true })).toEqual(hosts(['mx.test', IPV6]));
  });

  it('is not used or looked up if the machine does not have it', async () => {
    const { server, find } = await world(ZONE);
    expect(await find()).toEqual(hosts(['mx.test', IP]));
    expect(server.count('mx.test', 'AAAA')).toBe(0);
  });

  it('as the only address does not make a domain invalid', async () => {
    expect(await (await world(V6_ONLY)).find()).toEqual({ kind: 'beyond-ipv4', name: 'mx.test' });
    const { find } = await world({ [DOMAIN]: { AAAA: [IPV6] } });
    expect(await find()).toEqual({ kind: 'beyond-ipv4', name: 'example.test' });
  });

  it('whose lookup fails does not prevent IPv4', async () => {
    for (const trouble of ['SERVFAIL', 'silent'] as const) {
      const { find } = await world({ ...ZONE, 'mx.test': { A: [IP], trouble: { AAAA: trouble } } });
      expect(await find({ useIpv6: true, settleMs: 50 })).toEqual(hosts(['mx.test', IP]));
    }
  });
});

describe('mail cannot be delivered', () => {
  const NO_ADDRESS = 'no mail server has an IP address';
  const PRIVATE = 'mail servers on private IP addresses only';

  it.each<[string, Zone, string]>([
    ['where the domain does not exist', {}, 'the domain does not exist'],
    ['where there is a null MX', { [DOMAIN]: { MX: [[0, '.']], A: [IP] } }, 'null MX'],
    ['where there is neither MX nor address', { [DOMAIN]: { TXT: ['x'] } }, 'no MX and no IP address'],
    ['where the MX does not exist', { [DOMAIN]: { ...mx([10, 'gone.test']), A: [IP] } }, NO_ADDRESS],
    ['where the MX has no address', { [DOMAIN]: mx([10, 'mx.test']), 'mx.test': { TXT: ['x'] } }, NO_ADDRESS],
    [
      'where the MX is an IP address, even one that answers as a name',
      { [DOMAIN]: { MX: [[10, IP]] }, [IP]: { A: [IP] } },
      'no MX is the name of a host',
    ],
    [
      'where one MX is a null MX and the other an IP address',
      { [DOMAIN]: mx([0, '.'], [10, IP]) },
      'no MX is the name of a host',
    ],
    [
      'where one MX is private and the other does not exist',
      {
        [DOMAIN]: mx([10, 'mx.test'], [20, 'gone.test']),
        'mx.test': { A: ['10.0.0.1'] },
      },
      PRIVATE,
    ],
    ['where the domain’s own address is private', { [DOMAIN]: { A: ['10.0.0.1'] } }, PRIVATE],
  ])('%s', async (_, zone, why) => {
    expect(await (await world(zone)).find()).toEqual(nowhere(why));
  });

  it.each(PRIVATE_ADDRESSES.MX)(
    'where the MX is %s, even where private addresses are allowed',
    async (name) => {
      const { find } = await world({ [DOMAIN]: { MX: [[10, name]] }, '*': { A: ['127.0.0.1'] } });
      expect(await find({ allowPrivateAddresses: true })).toEqual(nowhere('no MX is the name of a host'));
    },
  );

  it.each(PRIVATE_ADDRESSES.A)('where the MX is at %s', async (ip) => {
    const { find } = await world({ [DOMAIN]: { MX: [[10, 'mx.test']] }, 'mx.test': { A: [ip] } });
    expect(await find()).toEqual(nowhere(PRIVATE));
  });

  it.each(PRIVATE_ADDRESSES.AAAA)('where the MX is at %s', async (ip) => {
    const { find } = await world({ [DOMAIN]: { MX: [[10, 'mx.test']] }, 'mx.test': { AAAA: [ip] } });
    for (const useIpv6 of [true, false]) {
      expect(await find({ useIpv6 })).toEqual(nowhere(PRIVATE));
    }
  });
});

describe('of several mail servers', () => {
  const MX = mx([10, 'bad.test'], [20, 'good.test']);

  it.each<[string, Zone]>([
    ['a private', { 'bad.test': { A: ['127.0.0.1'] } }],
    ['a missing', {}],
    ['a failing', { 'bad.test': { trouble: 'SERVFAIL' } }],
    ['an endlessly aliased', { 'bad.test': { CNAME: 'bad.test' } }],
  ])('only the good one is used next to %s one, without a wait', async (_, bad) => {
    stopClock();
    const { find } = await world({ [DOMAIN]: MX, 'good.test': { A: [IP] }, ...bad });
    expect(await find()).toEqual(hosts(['good.test', IP]));
  });

  it('only the good one is used next to a silent one, after a moment', async () => {
    const clock = stopClock();
    const { find } = await world({
      [DOMAIN]: MX,
      'good.test': { A: [IP] },
      'bad.test': { trouble: 'silent' },
    });
    expect(await clock.run(find({ settleMs: 50 }))).toEqual(hosts(['good.test', IP]));
    expect(clock.at).toBeGreaterThanOrEqual(50);
    expect(clock.at).toBeLessThan(1000);
  });

  it('only public addresses of one are used', async () => {
    const { find } = await world({ [DOMAIN]: { A: ['127.0.0.1', IP, '10.0.0.1'] } });
    expect(await find()).toEqual(hosts([DOMAIN, IP]));
  });

  it('a slow one of better preference still comes first', async () => {
    const { find } = await world({
      [DOMAIN]: MX,
      'bad.test': { A: [OTHER_IP], trouble: { delayMs: 30 } },
      'good.test': { A: [IP] },
    });
    expect(await find({ settleMs: 2000 })).toEqual(hosts(['bad.test', OTHER_IP], ['good.test', IP]));
  });

  it('a failing and a missing one leave the outcome open', async () => {
    const { find } = await world({ [DOMAIN]: MX, 'bad.test': { trouble: 'SERVFAIL' } });
    expect(await find()).toEqual(failed('bad.test: SERVFAIL'));
  });

  it('a silent and a missing one leave the outcome open', async () => {
    const clock = stopClock();
    const { find } = await world({ [DOMAIN]: MX, 'bad.test': { trouble: 'silent' } });
    const leaving = new AbortController();
    const found = find({ signal: leaving.signal });
    await clock.advance(100);
    leaving.abort();
    expect(await found).toEqual({ kind: 'no-answer' });
  });
});

describe('the DNS lookup fails', () => {
  it.each(['SERVFAIL', 'REFUSED', 'garbage', 'no-tcp'] as const)(
    'when the MX question gets %s, and A is not asked for instead',
    async (trouble) => {
      const { server, find } = await world({ [DOMAIN]: { A: [IP], trouble: { MX: trouble } } });
      const why = expect.stringContaining('MX of example.test');
      expect(await find()).toMatchObject({ kind: 'failed', why });
      expect(server.count(DOMAIN, 'A')).toBe(0);
    },
  );

  it('when the MX question gets no answer', async () => {
    const { server, find } = await world({ [DOMAIN]: { A: [IP], trouble: { MX: 'silent' } } });
    const leaving = new AbortController();
    const found = find({ signal: leaving.signal });
    await server.whenAsked(DOMAIN, 'MX');
    leaving.abort();
    expect(await found).toEqual({ kind: 'no-answer' });
    expect(server.count(DOMAIN, 'A')).toBe(0);
  });

  it('when the time is over before it begins', async () => {
    const { server, find } = await world({ [DOMAIN]: { A: [IP] } });
    expect(await find({ signal: AbortSignal.abort() })).toEqual({ kind: 'no-answer' });
    expect(server.questions).toEqual([]);
  });

  it('when the domain has no MX and its address fails', async () => {
    const { find } = await world({ [DOMAIN]: { trouble: { A: 'SERVFAIL' } } });
    expect(await find()).toEqual(failed('example.test: SERVFAIL'));
  });

  it('when it loops', async () => {
    const { find } = await world({ [DOMAIN]: { CNAME: 'b.test' }, 'b.test': { CNAME: DOMAIN } });
    expect(await find()).toEqual(failed('MX of example.test: too many aliases'));
  });
});

describe('500 MX records', () => {
  const MX = Array.from({ length: 500 }, (_, n) => [n, `mx${n}.test`] as const);
  const asked = (server: DnsServer) =>
    new Set(server.questions.map(({ name }) => name).filter((name) => name.startsWith('mx'))).size;

  it('are looked up ten at a time until one can be used', async () => {
    const { server, find } = await world({ [DOMAIN]: { MX }, '*.test': { A: [IP] } });
    expect(await find()).toMatchObject({ kind: 'hosts', hosts: { length: 10 } });
    expect(asked(server)).toBe(10);
  });

  it('may have the first that can be used behind the first ten', async () => {
    const { find } = await world({ [DOMAIN]: { MX }, 'mx20.test': { A: [IP] } });
    expect(await find()).toEqual(hosts(['mx20.test', IP]));
  });

  it('are tried up to thirty, and the others may take mail', async () => {
    const { server, find } = await world({ [DOMAIN]: { MX }, '*.test': { A: ['127.0.0.1'] } });
    expect(await find()).toEqual(failed('too many mail servers without an IP address'));
    expect(asked(server)).toBe(30);
  });

  it('with one name count once', async () => {
    const same = Array.from({ length: 500 }, (_, n) => [n, 'mx.test'] as const);
    const { server, find } = await world({ [DOMAIN]: { MX: same }, 'mx.test': { A: [IP] } });
    expect(await find()).toEqual(hosts(['mx.test', IP]));
    expect(server.count('mx.test')).toBe(1);
  });
});

describe('with private addresses allowed', () => {
  it('hosts on loopback are used', async () => {
    const { find } = await world({
      [DOMAIN]: { MX: [[10, 'mx.test']] },
      'mx.test': { A: ['127.0.0.1', '127.0.0.2'], AAAA: ['::1'] },
    });
    const options = { allowPrivateAddresses: true };
    expect(await find(options)).toEqual(hosts(['mx.test', '127.0.0.1', '127.0.0.2']));
    const withIpv6 = hosts(['mx.test', '127.0.0.1', '127.0.0.2', '::1']);
    expect(await find({ ...options, useIpv6: true })).toEqual(withIpv6);
  });
});

it('asks each question once for many verifications of one domain', async () => {
  const { server, find } = await world({
    [DOMAIN]: mx([10, 'a.test'], [10, 'b.test']),
    '*.test': { A: [IP] },
  });
  await Promise.all(Array.from({ length: 20 }, () => find()));
  await find();
  const questions = server.questions.map(({ type, name }) => `${type} ${name}`);
  expect(questions.sort()).toEqual(['A a.test', 'A b.test', 'MX example.test']);
});
