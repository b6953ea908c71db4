import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { createIpv6Check, type Ipv6Options } from '../../../src/engine/dns/ipv6.ts';
import type { Lookup, Resolver } from '../../../src/engine/dns/resolver.ts';

const PUBLIC = '2a00:1450:4001:81a::1b';
const OTHER = '2a00:1450:4001:81a::1c';
const FOUND: Lookup<string> = { kind: 'found', records: ['mail.example.test'] };

function address(ip: string, internal = false): NetworkInterfaceInfo {
  const family = ip.includes(':') ? 'IPv6' : 'IPv4';
  return {
    address: ip,
    netmask: '',
    mac: '',
    internal,
    cidr: null,
    family,
    scopeid: 0,
  } as NetworkInterfaceInfo;
}

/** A check on a machine with these addresses, and what it asked the DNS. `names` can be changed. */
function machine(ips: readonly string[], options: Partial<Ipv6Options> = {}) {
  const names: Record<string, Lookup<string>> = {};
  const asked: string[] = [];
  const clock = { now: 0 };
  const ptr: Resolver['ptr'] = async (ip, signal) => {
    asked.push(ip);
    const lookup = names[ip] ?? { kind: 'no-name' };
    if (lookup.kind !== 'no-answer') return lookup;
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(lookup)));
  };
  const check = createIpv6Check({
    resolver: { ptr } as Resolver,
    localAddresses: [],
    now: () => clock.now,
    interfaces: () => ({ eth0: ips.map((ip) => address(ip)), lo: [address('::1', true)], gone: undefined }),
    ...options,
  });
  return { names, asked, clock, check: () => check(new AbortController().signal), checkWith: check };
}

it('uses IPv6 if a public IPv6 address has a name', async () => {
  const { names, check } = machine(['192.0.2.1', OTHER, PUBLIC]);
  names[PUBLIC] = FOUND;
  expect(await check()).toBe(true);
});

it('does not use IPv6 if no address has a name', async () => {
  const { asked, check } = machine([PUBLIC]);
  expect(await check()).toBe(false);
  expect(asked).toEqual([PUBLIC]);
});

it('does not ask for the names of private addresses', async () => {
  const { asked, check } = machine(['8.8.8.8', 'fe80::1', 'fd00::1', '::1']);
  expect(await check()).toBe(false);
  expect(asked).toEqual([]);
});

it('checks only the configured addresses, if there are any', async () => {
  const configured = machine([OTHER], { localAddresses: ['203.0.113.7', PUBLIC] });
  configured.names[PUBLIC] = FOUND;
  expect(await configured.check()).toBe(true);
  const v4 = machine([OTHER], { localAddresses: ['203.0.113.7'] });
  v4.names[OTHER] = FOUND;
  expect(await v4.check()).toBe(false);
  expect([...configured.asked, ...v4.asked]).toEqual([PUBLIC]);
});

it.each([true, false])('remembers for an hour that it is %s', async (hasName) => {
  const { names, asked, clock, check } = machine([PUBLIC]);
  if (hasName) names[PUBLIC] = FOUND;
  for (const [now, times] of [
    [0, 1],
    [3_599_999, 1],
    [3_600_000, 2],
  ] as const) {
    clock.now = now;
    expect(await check()).toBe(hasName);
    expect(asked).toHaveLength(times);
  }
});

it.each<Lookup<string>>([{ kind: 'failed', code: 'SERVFAIL' }, { kind: 'no-answer' }])(
  'asks again after a minute when the lookup was %j',
  async (lookup) => {
    const { names, asked, clock, check } = machine([PUBLIC], { waitMs: 20 });
    names[PUBLIC] = lookup;
    expect(await check()).toBe(false);
    clock.now = 59_999;
    expect(await check()).toBe(false);
    expect(asked).toHaveLength(1);
    names[PUBLIC] = FOUND;
    clock.now = 60_000;
    expect(await check()).toBe(true);
  },
);

it('remembers nothing after a caller whose time is over', async () => {
  const { names, check, checkWith } = machine([PUBLIC]);
  names[PUBLIC] = { kind: 'no-answer' };
  expect(await checkWith(AbortSignal.timeout(20))).toBe(false);
  names[PUBLIC] = FOUND;
  expect(await check()).toBe(true);
});

it('asks for the names of eight addresses at most', async () => {
  const { asked, check } = machine(Array.from({ length: 50 }, (_, n) => `2a00:1450::${n + 1}`));
  await check();
  expect(asked).toHaveLength(8);
});

it('checks this machine by default', async () => {
  const ptr: Resolver['ptr'] = async () => ({ kind: 'no-name' });
  const check = createIpv6Check({ resolver: { ptr } as Resolver, localAddresses: [] });
  expect(await check(new AbortController().signal)).toBe(false);
});
