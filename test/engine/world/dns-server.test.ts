/** The name server of the tests, seen by a client that is not ours: Node's own resolver. */
import { promises as dns } from 'node:dns';
import { afterEach, expect, it } from 'vitest';
import { type DnsServer, startDnsServer } from './dns-server.ts';
import type { Zone } from './dns-zone.ts';

let server: DnsServer | undefined;
afterEach(() => server?.close());

async function clientOf(zone: Zone): Promise<dns.Resolver> {
  server = await startDnsServer(zone);
  const client = new dns.Resolver({ tries: 1 });
  client.setServers([server.address]);
  return client;
}

it('answers from its zone, from wildcards and from functions', async () => {
  const client = await clientOf({
    'example.test': { MX: [[10, 'mx.example.test']], TXT: ['x'.repeat(300)], A: ['192.0.2.1'] },
    '*.wild.test': { AAAA: ['2001:db8::1'] },
    'computed.test': ({ name }) => ({ TXT: [name] }),
    'alias.test': { CNAME: 'example.test' },
  });
  expect(await client.resolveMx('example.test')).toEqual([{ priority: 10, exchange: 'mx.example.test' }]);
  expect((await client.resolveTxt('example.test'))[0]!.map((part) => part.length)).toEqual([255, 45]);
  expect(await client.resolve6('a.b.wild.test')).toEqual(['2001:db8::1']);
  expect(await client.resolveTxt('computed.test')).toEqual([['computed.test']]);
  expect(await client.resolve4('alias.test')).toEqual(['192.0.2.1']);
});

it('counts the questions, and reports each one', async () => {
  const client = await clientOf({ 'example.test': { A: ['192.0.2.1'] } });
  const asked = server!.whenAsked('example.test', 'A', 2);
  await Promise.all([client.resolve4('example.test'), client.resolve4('example.test')]);
  await asked;
  expect([server!.count('example.test', 'A'), server!.count('example.test', 'MX')]).toEqual([2, 0]);
});

it('changes its zone while it runs', async () => {
  const client = await clientOf({});
  await expect(client.resolve4('example.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  server!.set('example.test', { A: ['192.0.2.1'] });
  expect(await client.resolve4('example.test')).toEqual(['192.0.2.1']);
  server!.set('example.test', undefined);
  await expect(client.resolve4('example.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

it.each([
  ['SERVFAIL', 'ESERVFAIL'],
  ['REFUSED', 'EREFUSED'],
  ['NODATA', 'ENODATA'],
] as const)('causes the fault "%s" only for its record types', async (trouble, code) => {
  const client = await clientOf({ 'example.test': { A: ['192.0.2.1'], trouble: { MX: trouble } } });
  await expect(client.resolveMx('example.test')).rejects.toMatchObject({ code });
  expect(await client.resolve4('example.test')).toEqual(['192.0.2.1']);
});

it('is silent only for the record types that it should be', async () => {
  const client = await clientOf({ 'example.test': { A: ['192.0.2.1'], trouble: { MX: 'silent' } } });
  const asked = client.resolveMx('example.test');
  asked.catch(() => {});
  await server!.whenAsked('example.test', 'MX');
  expect(await client.resolve4('example.test')).toEqual(['192.0.2.1']);
  // An answer would have come by now.
  client.cancel();
  await expect(asked).rejects.toMatchObject({ code: 'ECANCELLED' });
});

it('sends answers that are too large for a datagram over TCP', async () => {
  const MX = Array.from({ length: 500 }, (_, n) => [n, `mx${n}.example.test`] as const);
  const client = await clientOf({ 'example.test': { MX } });
  expect(await client.resolveMx('example.test')).toHaveLength(500);
  expect(server!.questions.map(({ via }) => via)).toEqual(['udp', 'tcp']);
});
