import { Resolver as SystemResolver } from 'node:dns';
import { expect, it } from 'vitest';
import { nameServers, parseNameServer } from '../../../src/engine/dns/name-servers.ts';

it.each([
  ['192.0.2.1', '192.0.2.1', 53],
  ['192.0.2.1:5353', '192.0.2.1', 5353],
  ['2001:db8::1', '2001:db8::1', 53],
  ['[2001:db8::1]', '2001:db8::1', 53],
  ['[2001:db8::1]:5353', '2001:db8::1', 5353],
  ['[fe80::1%eth0]:53', 'fe80::1%eth0', 53],
])('reads %s', (text, ip, port) => {
  expect(parseNameServer(text)).toEqual({ ip, port });
});

it.each([
  '',
  'dns.example',
  'dns.example:53',
  '192.0.2:53',
  '192.0.2.1:',
  '192.0.2.1:0',
  '192.0.2.1:65536',
  '192.0.2.1:5x',
  '[192.0.2.1]:53',
  '[2001:db8::1',
  '2001:db8::1]:53',
  '[2001:db8::1]:',
])('does not take "%s" for a name server', (text) => {
  expect(parseNameServer(text)).toBeUndefined();
  expect(() => nameServers([text], () => 0)).toThrow(`got "${text}"`);
});

it('gives the servers of the config', () => {
  expect(nameServers(['192.0.2.1:5353'], () => 0)()).toEqual([{ ip: '192.0.2.1', port: 5353 }]);
});

it.each([[undefined], [[]]])('gives the servers of the system when the config has %j', (servers) => {
  const expected = new SystemResolver().getServers().map(parseNameServer);
  expect(nameServers(servers, () => 0)()).toEqual(expected);
});

it('reads the servers of the system again after half a minute', () => {
  let now = 0;
  let system = ['192.0.2.1', 'nonsense'];
  const servers = nameServers(
    undefined,
    () => now,
    () => system,
  );
  expect(servers()).toEqual([{ ip: '192.0.2.1', port: 53 }]);
  system = ['192.0.2.2'];
  now = 29_999;
  expect(servers()).toEqual([{ ip: '192.0.2.1', port: 53 }]);
  now = 30_000;
  expect(servers()).toEqual([{ ip: '192.0.2.2', port: 53 }]);
});
