import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { DEMO_KEYS } from '../../../src/service/demo/demo-keys.ts';
import { demoUrls, ownAddresses, trustOwnAddresses } from '../../../src/service/demo/own-addresses.ts';
import { createConfigKeys } from '../../../src/service/keys/config-keys.ts';
import type { Key } from '../../../src/service/keys/key.ts';

const own = (address: string, internal = false): NetworkInterfaceInfo => {
  const more = { address, netmask: '', mac: '', internal, cidr: null };
  if (!address.includes(':')) return { ...more, family: 'IPv4' };
  return { ...more, family: 'IPv6', scopeid: address.startsWith('fe80') ? 2 : 0 };
};
const INTERFACES = {
  lo: [own('127.0.0.1', true), own('::1', true)],
  wlan0: [own('192.168.1.5'), own('2001:db8::5'), own('fe80::5')],
};

describe('the addresses of the machine', () => {
  it.each([
    ['127.0.0.1', []],
    ['localhost', []],
    ['0.0.0.0', ['192.168.1.5']],
    ['::', ['192.168.1.5', '2001:db8::5']],
    ['192.168.1.5', ['192.168.1.5']],
    ['192.168.1.9', []],
  ])('are, for a demo that listens on %s, %j', (host, expected) => {
    expect(ownAddresses(host, INTERFACES)).toEqual(expected);
  });
});

describe('the URLs of the demo', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:8080', undefined],
    ['::1', 'http://[::1]:8080', undefined],
    ['0.0.0.0', 'http://127.0.0.1:8080', ['http://192.168.1.5:8080']],
    ['::', 'http://127.0.0.1:8080', ['http://192.168.1.5:8080', 'http://[2001:db8::5]:8080']],
    ['192.168.1.5', 'http://192.168.1.5:8080', ['http://192.168.1.5:8080']],
  ])('name loopback for %s, or other devices could not reach it', (host, here, network) => {
    expect(demoUrls(host, 8080, INTERFACES)).toEqual({ here, network });
  });

  it('name no other device where the machine is in no network', () => {
    expect(demoUrls('0.0.0.0', 8080, { lo: INTERFACES.lo }).network).toEqual([]);
  });
});

describe('the demo’s keys', () => {
  const OTHER = { key: 'test_public_other', kind: 'public' as const, trustedDomains: ['shop.example'] };
  const ringFor = (addresses: readonly string[]) =>
    trustOwnAddresses(createConfigKeys([...DEMO_KEYS, OTHER]), () => addresses);
  const trusts = (key: Key | undefined, origin: string) => key?.kind === 'public' && key.trustsOrigin(origin);
  const trustsIp = (key: Key | undefined, ip: string) => key?.kind === 'private' && key.trustsIp(ip);

  it('trust pages at the machine’s own addresses, and nowhere else', async () => {
    const ring = ringFor(['192.168.1.5', '2001:db8::5']);
    const key = await ring.find('test_public_demo');
    const origins = ['http://192.168.1.5:8080', 'http://[2001:db8::5]', 'http://localhost:3000'];
    expect(origins.map((origin) => trusts(key, origin))).toEqual([true, true, true]);
    expect(origins.map((origin) => ring.anyTrustsOrigin(origin))).toEqual([true, true, true]);
    const others = ['http://192.168.1.6', 'http://192.168.1.5.evil.test', 'http://x.192.168.1.5', 'null'];
    expect(others.map((origin) => trusts(key, origin))).toEqual([false, false, false, false]);
    expect(others.map((origin) => ring.anyTrustsOrigin(origin))).toEqual([false, false, false, false]);
  });

  it('trust programs on the machine, and on no other', async () => {
    const key = await ringFor(['192.168.1.5']).find('test_private_demo');
    const trusted = ['192.168.1.5', '127.0.0.1', '192.168.1.6'].map((ip) => trustsIp(key, ip));
    expect(trusted).toEqual([true, true, false]);
  });

  it('trust loopback alone while the demo listens there', async () => {
    const key = await ringFor([]).find('test_public_demo');
    const trusted = ['http://192.168.1.5', 'http://127.0.0.1'].map((origin) => trusts(key, origin));
    expect(trusted).toEqual([false, true]);
  });

  it('are the only keys that do', async () => {
    const ring = ringFor(['192.168.1.5']);
    expect(trusts(await ring.find('test_public_other'), 'http://192.168.1.5')).toBe(false);
    expect(await ring.find('test_public_unheard')).toBeUndefined();
  });
});
