/** Hostile and broken name servers, private mail servers, and what the DNS is asked for how often. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stopClockInFile } from './world/clock.ts';
import type { NamedTrouble } from './world/dns-troubles.ts';
import { type EngineInWorld, engineIn, openWorld, told } from './world/engine.ts';
import { PRIVATE_ADDRESSES } from './world/private-addresses.ts';
import { type SocksServer, startSocksServer } from './world/socks-server.ts';

/** Public, and reached through nothing but the proxies of these tests. */
const PUBLIC_IP = '8.8.8.8';

stopClockInFile();
const { world, engine } = await openWorld({ 'good.test': {} });

const GOOD_MX = { MX: [[10, 'mx.good.test']] } as const;

describe('a name server in trouble', () => {
  it.each<[NamedTrouble, string]>([
    ['silent', 'timeout'],
    ['SERVFAIL', 'unexpected_error'],
    ['REFUSED', 'unexpected_error'],
    ['FORMERR', 'unexpected_error'],
    ['wrong-id', 'timeout'],
    ['wrong-question', 'timeout'],
    ['flood', 'timeout'],
    ['silent-tcp', 'timeout'],
  ])('leaves the address unknown: %s', async (trouble, reason) => {
    const domain = `mx-${trouble.toLowerCase()}.test`;
    world.dns.set(domain, { ...GOOD_MX, A: ['127.0.1.1'], trouble: { MX: trouble } });
    const result = await engine.check(`jane@${domain}`, { timeoutMs: 600 });
    expect(result).toMatchObject({ reason, state: 'unknown', mx_record: '' });
    expect(result.duration).toBeLessThanOrEqual(0.6);
    expect(world.dns.count(domain, 'A')).toBe(0);
  });

  it.each<NamedTrouble>([
    ...(['referral', 'garbage', 'short', 'header-only', 'lying-counts', 'pointer-loop'] as const),
    ...(['no-tcp', 'slow-tcp', 'short-tcp', 'truncated-tcp', 'garbage-tcp'] as const),
  ])('condemns no address: %s', async (trouble) => {
    const domain = `odd-${trouble}.test`;
    world.dns.set(domain, { ...GOOD_MX, trouble: { MX: trouble } });
    world.dns.set(`mx.${domain}`, { A: ['127.0.1.1'], trouble: { A: trouble } });
    world.dns.set(`a-${domain}`, { MX: [[10, `mx.${domain}`]] });
    for (const address of [`jane@${domain}`, `jane@a-${domain}`]) {
      const { state, duration } = await engine.check(address, { timeoutMs: 600 });
      expect(state).not.toBe('undeliverable');
      expect(duration).toBeLessThanOrEqual(0.6);
    }
  });

  it.each<NamedTrouble>(['no-edns', 'truncated', 'wrong-id-first', 'garbage-first'])(
    'is understood in spite of %s',
    async (trouble) => {
      const domain = `yet-${trouble}.test`;
      world.dns.set(domain, { ...GOOD_MX, trouble: { MX: trouble } });
      expect(await engine.check(`jane@${domain}`)).toMatchObject({ reason: 'accepted_email' });
    },
  );

  it('condemns no address for a silent or failing A', async () => {
    for (const trouble of ['silent', 'SERVFAIL', 'REFUSED'] as const) {
      const domain = `host-${trouble.toLowerCase()}.test`;
      world.dns.set(domain, { MX: [[10, `mx.${domain}`]] });
      world.dns.set(`mx.${domain}`, { trouble });
      const result = await engine.check(`jane@${domain}`, { timeoutMs: 400 });
      expect(result).toMatchObject({ reason: trouble === 'silent' ? 'timeout' : 'unexpected_error' });
    }
  });

  it('takes a good MX beside one whose name server is silent', async () => {
    world.dns.set('half-silent.test', {
      MX: [
        [5, 'mx.mute-dns.test'],
        [10, 'mx.good.test'],
      ],
    });
    world.dns.set('mx.mute-dns.test', { trouble: 'silent' });
    expect(await engine.check('jane@half-silent.test')).toMatchObject({
      reason: 'accepted_email',
      mx_record: 'mx.good.test',
    });
  });
});

it('follows CNAMEs, and stops in their loops', async () => {
  world.dns.set('alias.test', { CNAME: 'real.test' });
  world.dns.set('real.test', GOOD_MX);
  world.dns.set('loop-a.test', { CNAME: 'loop-b.test' });
  world.dns.set('loop-b.test', { CNAME: 'loop-a.test' });
  expect(await engine.check('jane@alias.test')).toMatchObject({ reason: 'accepted_email' });
  const { state, duration } = await engine.check('jane@loop-a.test', { timeoutMs: 600 });
  expect(['unknown', 'undeliverable']).toContain(state);
  expect(duration).toBeLessThanOrEqual(0.6);
});

it('copes with 500 MX records', async () => {
  const MX = Array.from({ length: 500 }, (_, index) => [index, `mx${index}.many.test`] as const);
  world.dns.set('many.test', { MX });
  world.dns.set('*.many.test', { A: ['127.0.9.9'] });
  world.dns.set('mx3.many.test', { A: [world.server('good.test').ip] });
  const result = await engine.check('jane@many.test', { timeoutMs: 3000 });
  expect(result).toMatchObject({ reason: 'accepted_email', mx_record: 'mx3.many.test' });
  expect(world.dns.questions.filter(({ name }) => name.endsWith('many.test'))).toHaveLength(2 + 10);
});

it('sends each question once within its TTL, for many addresses at once and one after the other', async () => {
  const address = (index: number) => `jane${index}@many-people.test`;
  world.dns.set('many-people.test', { MX: [[10, 'mx.many-people.test']], ttl: 1 });
  world.dns.set('mx.many-people.test', { A: [world.server('good.test').ip], ttl: 1 });
  world.dns.set('nobody.test', { trouble: 'NXDOMAIN' });
  const all = Array.from({ length: 40 }, (_, index) => [
    engine.check(address(index)),
    engine.check(`jane${index}@nobody.test`),
  ]).flat();
  for (const { reason } of await Promise.all(all)) {
    expect(['accepted_email', 'invalid_domain']).toContain(reason);
  }
  await engine.check(address(100));
  await engine.check('jane@nobody.test');
  const { dns } = world;
  expect(dns.count('many-people.test')).toBe(1);
  expect(dns.count('mx.many-people.test')).toBe(1);
  expect(dns.count('nobody.test')).toBe(1);
});

it('calls a domain with only IPv6 addresses unreachable, where this machine has no IPv6', async () => {
  world.dns.set('v6.test', { MX: [[10, 'mx.v6.test']] });
  world.dns.set('mx.v6.test', { AAAA: ['2001:db8::1'] });
  const known = { mx_record: 'mx.v6.test' };
  expect(await engine.check('jane@v6.test')).toMatchObject({ ...known, reason: 'no_connect' });
  expect(await engine.check('jane@v6.test', { smtp: false })).toMatchObject({
    ...known,
    reason: 'low_deliverability',
  });
});

describe('private mail servers', () => {
  let proxy: SocksServer;
  let strict: EngineInWorld;
  beforeAll(async () => {
    proxy = await startSocksServer({ refuseWith: 5 });
    strict = engineIn(world, {
      allowPrivateAddresses: false,
      socksProxies: [`socks5://127.0.0.1:${proxy.port}`],
    });
  });
  afterAll(async () => {
    await strict.close();
    await proxy.close();
  });

  const cases = [
    ...PRIVATE_ADDRESSES.A.map((ip) => ['A', ip] as const),
    ...PRIVATE_ADDRESSES.AAAA.map((ip) => ['AAAA', ip] as const),
  ];
  it.each(cases)('are not contacted, and make the domain invalid: %s %s', async (type, ip) => {
    const domain = `private-${type}-${ip.replaceAll(/[^0-9a-f]/g, '-')}x.test`.toLowerCase();
    world.dns.set(domain, { MX: [[10, `mx.${domain}`]] });
    world.dns.set(`mx.${domain}`, { [type]: [ip] });
    world.dns.set(`direct-${domain}`, { [type]: [ip] });
    for (const address of [`jane@${domain}`, `jane@direct-${domain}`]) {
      const { result, evidence } = await strict.verify(address);
      expect(result, told(evidence)).toMatchObject({ reason: 'invalid_domain', mx_record: '' });
    }
  });

  it.each(PRIVATE_ADDRESSES.MX)('are not contacted as an MX that is no name: %s', async (exchange) => {
    const domain = `named-${exchange.replaceAll(/[^0-9a-z]/g, '-')}x.test`;
    world.dns.set(domain, { MX: [[10, exchange]] });
    world.dns.set(exchange.toLowerCase(), { A: [PUBLIC_IP] });
    expect(await strict.check(`jane@${domain}`)).toMatchObject({ reason: 'invalid_domain', mx_record: '' });
    expect(await engine.check(`jane@${domain}`)).toMatchObject({ reason: 'invalid_domain', mx_record: '' });
  });

  it('are left out if there is a public one, as hosts and as IP addresses', async () => {
    world.dns.set('mixed.test', {
      MX: [
        [5, 'inside.mixed.test'],
        [10, 'outside.mixed.test'],
      ],
    });
    world.dns.set('inside.mixed.test', { A: ['10.0.0.1'] });
    world.dns.set('outside.mixed.test', { A: ['192.168.0.1', PUBLIC_IP] });
    expect(await strict.check('jane@mixed.test')).toMatchObject({
      reason: 'no_connect',
      mx_record: 'outside.mixed.test',
    });
    expect(proxy.destinations).toEqual([`${PUBLIC_IP}:${world.live.smtpPort}`]);
  });

  it('have never been contacted', () => {
    expect(proxy.destinations).toEqual([`${PUBLIC_IP}:${world.live.smtpPort}`]);
  });
});

it('calls a domain that only IPv6 reaches unknown, not invalid', async () => {
  const proxy = await startSocksServer({ refuseWith: 5 });
  const strict = engineIn(world, {
    allowPrivateAddresses: false,
    socksProxies: [`socks5://127.0.0.1:${proxy.port}`],
    localAddresses: ['127.0.0.1'],
  });
  world.dns.set('six.test', { MX: [[10, 'mx.six.test']] });
  world.dns.set('mx.six.test', { AAAA: ['2a00:1450:4001:830::200e'] });
  expect((await strict.check('jane@six.test')).state).toBe('unknown');
  expect(proxy.destinations).toEqual([]);
  await strict.close();
  await proxy.close();
});
