import { afterAll, beforeAll, expect, it } from 'vitest';
import { createResolver } from '../../src/engine/dns/create-resolver.ts';
import type { Resolver } from '../../src/engine/dns/resolver.ts';
import { loadPublishedLists } from '../../src/engine/facts/lists.ts';
import { createEngineFacts } from '../../src/engine/facts/operator-lists.ts';
import { createFindOrganisation } from '../../src/engine/organisation.ts';
import { type DnsServer, startDnsServer } from './world/dns-server.ts';

const facts = createEngineFacts(loadPublishedLists());
let dns: DnsServer;
let resolver: Resolver;
beforeAll(async () => {
  dns = await startDnsServer({
    'one.test': { MX: [[10, 'aspmx.l.google.com']] },
    'two.test': { MX: [[10, 'alt1.aspmx.l.google.com']] },
    'own.test': { MX: [[10, 'mx.own.test']] },
    'none.test': { MX: [[0, '']] },
    'aspmx.l.google.com': { A: ['127.0.0.1'] },
    'alt1.aspmx.l.google.com': { A: ['127.0.0.2'] },
    'mx.own.test': { A: ['127.0.0.3'] },
  });
  resolver = createResolver({ servers: [dns.address] });
});
afterAll(async () => {
  resolver.close();
  await dns.close();
});

const find = (address: string, closing = new AbortController().signal) =>
  createFindOrganisation({ facts, resolver, allowPrivateAddresses: true, random: () => 0, closing })(address);

it('finds one organisation for all domains with its mail servers', async () => {
  const found = await find('jo@one.test');
  expect(found).toBeDefined();
  expect(await find('ada@Two.test')).toBe(found);
  expect(await find('jo@own.test')).not.toBe(found);
});

it.each(['no address', 'jo@[127.0.0.1]', 'jo@none.test', 'jo@missing.test'])(
  'finds none for %s',
  async (address) => {
    expect(await find(address)).toBeUndefined();
  },
);

it('ends with the engine', async () => {
  expect(await find('jo@unknown.test', AbortSignal.abort())).toBeUndefined();
});
