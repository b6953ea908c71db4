import { expect, it } from 'vitest';
import { findWarnings as findAll } from '../../../src/service/config/config-warnings.ts';
import { settleBilling } from '../../../src/service/config/sections/billing-section.ts';
import type { KeyEntry } from '../../../src/service/config/sections/keys-section.ts';
import { settleLive } from '../../../src/service/config/sections/live-section.ts';
import { DEMO_KEYS } from '../../../src/service/demo/demo-keys.ts';

const NO_SECTIONS = { database: undefined, billing: undefined, live: undefined } as const;
const NOTHING = { ...NO_SECTIONS, keys: [], host: undefined, publicUrl: undefined, role: 'all' } as const;
const findWarnings = (keys: readonly KeyEntry[]) => findAll({ ...NOTHING, keys });

const PUBLIC = { key: 'test_hush', kind: 'public' } as const;
const trusting = (...trustedDomains: string[]): KeyEntry => ({ ...PUBLIC, trustedDomains });
const placesOf = (...keys: KeyEntry[]) => findWarnings(keys).map(({ place }) => place);

it.each(['github.io', 'GitHub.io', 'github.io.', 'vercel.app', 'pages.dev', 'blogspot.com', 'herokuapp.com'])(
  'warns of the trusted domain %s, under which anybody can publish a page',
  (domain) => {
    const [warning, ...others] = findWarnings([trusting('shop.example'), trusting('shop.example', domain)]);
    const advice = expect.stringContaining('Anyone can publish a page under this domain');
    expect(warning).toEqual({ place: 'keys[1].trustedDomains[1]', advice });
    expect(others).toEqual([]);
  },
);

it.each(['shop.github.io', 'github.com', 'shop.example', 'localhost', '127.0.0.1', '::1', 'intranet'])(
  'does not warn of the trusted domain %s',
  (domain) => {
    expect(placesOf(trusting(domain))).toEqual([]);
  },
);

it('warns once of each live key, which gets a 503', () => {
  const keys: KeyEntry[] = [
    { key: 'test_hush', kind: 'private' },
    { key: 'live_hush', kind: 'private' },
    { key: 'live_hush_too', kind: 'public', trustedDomains: ['shop.example', 'github.io'] },
  ];
  expect(placesOf(...keys)).toEqual(['keys[1]', 'keys[2].trustedDomains[1]', 'keys[2]']);
  expect(JSON.stringify(findWarnings(keys))).not.toMatch(/hush|shop\.example/);
});

it('does not warn of the demo', () => {
  expect(findWarnings(DEMO_KEYS)).toEqual([]);
});

it('warns of billing without a database', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const billing = settleBilling({ url: 'https://billing.example/', secret });
  const withoutDatabase = findAll({ ...NOTHING, billing });
  expect(withoutDatabase.map(({ place }) => place)).toEqual(['billing']);
  expect(findAll({ ...NOTHING, database: { folder: '/data' }, billing })).toEqual([]);
});

it('warns of live without a database', () => {
  const live = settleLive({ helo: 'verify.example', mailFrom: '' }, '/');
  const withoutDatabase = findAll({ ...NOTHING, live });
  expect(withoutDatabase.map(({ place }) => place)).toEqual(['live']);
});

it.each(['0.0.0.0', '::'])('warns of links that would begin with %s', (host) => {
  const database = { folder: '/data' };
  expect(findAll({ ...NOTHING, database, host }).map(({ place }) => place)).toEqual(['publicUrl']);
  expect(findAll({ ...NOTHING, database, host, publicUrl: 'https://verify.example' })).toEqual([]);
  expect(findAll({ ...NOTHING, host })).toEqual([]);
  expect(findAll({ ...NOTHING, database, host: '127.0.0.1' })).toEqual([]);
});

it('warns of links in callbacks of a worker, which serves no downloads', () => {
  const database = { url: 'postgres://db.example/shop' };
  const advice = expect.stringContaining('Links to downloads in callbacks');
  expect(findAll({ ...NOTHING, database, role: 'worker' })).toEqual([{ place: 'publicUrl', advice }]);
  expect(findAll({ ...NOTHING, database, role: 'worker', publicUrl: 'https://verify.example' })).toEqual([]);
  expect(findAll({ ...NOTHING, database, role: 'web' })).toEqual([]);
});

it('warns of a file for the key of proofs, which the database has', () => {
  const proofKeyFile = { path: '/etc/verify/proof-key.json', isNamed: true };
  const placesWith = (settings: Partial<Parameters<typeof findAll>[0]>) =>
    findAll({ ...NOTHING, proofKeyFile, ...settings }).map(({ place }) => place);
  const database = { folder: '/data' };
  expect(placesWith({ database })).toEqual(['proofKeyFile']);
  expect(placesWith({})).toEqual([]);
  expect(placesWith({ database, proofKeyFile: { ...proofKeyFile, isNamed: false } })).toEqual([]);
});
