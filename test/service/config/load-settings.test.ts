/** What the service runs by: the config file and the environment, with every default filled in. */
import { expect, it } from 'vitest';
import { ConfigError } from '../../../src/service/config/config-error.ts';
import { loadSettings } from '../../../src/service/config/load-settings.ts';
import { DEFAULT_DURATIONS } from '../../../src/service/config/sections/durations-section.ts';
import { DEFAULT_LIMITS } from '../../../src/service/config/sections/limits-section.ts';
import { messageOf } from '../../message-of.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const load = (config: object, DATABASE_URL?: string) =>
  loadSettings('/etc/verify/service.json', { DATABASE_URL }, () => JSON.stringify(config));

const faultOf = (config: object, DATABASE_URL?: string) =>
  messageOf(() => load(config, DATABASE_URL), ConfigError);

it('fills in every default', () => {
  expect(load({ database: 'data' })).toEqual({
    ...{ keys: [], database: { folder: '/etc/verify/data' }, limits: DEFAULT_LIMITS },
    ...{ durations: DEFAULT_DURATIONS, billing: undefined, billingPage: undefined, refundUnknown: true },
    ...{ freeForecast: false, lowCredits: undefined, members: { viewersDownload: false } },
    callbacks: { allowPrivateAddresses: false, refusedNetworks: [] },
    ...{ live: undefined, publicUrl: undefined, metrics: undefined, oidc: undefined, role: 'all' },
    ...{ signIn: { secondFactor: 'optional' }, support: undefined, secrets: undefined },
    proofKeyFile: { path: '/etc/verify/proof-key.json', isNamed: false },
    ...{ trustProxy: false, host: undefined, port: undefined },
  });
});

it('takes the file for the key of proofs, relative to its own folder', () => {
  const fileOf = (proofKeyFile: string) => load({ database: 'data', proofKeyFile }).proofKeyFile;
  expect(fileOf('keys/proof.json')).toEqual({ path: '/etc/verify/keys/proof.json', isNamed: true });
  expect(fileOf('/var/lib/proof.json')).toEqual({ path: '/var/lib/proof.json', isNamed: true });
  expect(faultOf({ database: 'data', proofKeyFile: '' })).toContain('proofKeyFile');
});

it('takes each limit and each duration alone', () => {
  const defaults = { limits: DEFAULT_LIMITS, durations: DEFAULT_DURATIONS };
  for (const section of ['limits', 'durations'] as const)
    for (const name of Object.keys(defaults[section])) {
      const settings = load({ database: 'data', [section]: { [name]: 7 } });
      expect(settings[section]).toEqual({ ...defaults[section], [name]: 7 });
    }
});

it('takes billing, the refund of unknown results, and a public URL without its last slash', () => {
  const billing = { url: 'http://127.0.0.1:9/credits', secret: SECRET };
  const credits = { refundUnknown: false, low: 500, forecast: true };
  const publicUrl = 'https://verify.example/api/';
  expect(load({ database: 'data', billing, credits, publicUrl })).toMatchObject({
    billing: { ...billing, perDay: 20, publicKeys: false },
    ...{ refundUnknown: false, lowCredits: 500, freeForecast: true, publicUrl: 'https://verify.example/api' },
  });
  const own = { ...billing, perDay: 3, publicKeys: true };
  expect(load({ database: 'data', billing: own }).billing).toEqual(own);
});

it('takes a billing page without a billing service, and with one', () => {
  const page = 'https://pay.example/{account}';
  const alone = load({ database: 'data', billing: { page } });
  expect(alone).toMatchObject({ billing: undefined, billingPage: page });
  const billing = { url: 'http://127.0.0.1:9/credits', secret: SECRET };
  expect(load({ database: 'data', billing: { ...billing, page } })).toMatchObject({
    billing: { ...billing, perDay: 20, publicKeys: false },
    billingPage: page,
  });
});

it('takes the database of the environment first, and no key is needed then', () => {
  const url = 'postgres://host/name';
  expect(load({}, url).database).toEqual({ url });
  expect(load({ database: 'data' }, url).database).toEqual({ url });
  expect(load({ database: 'data' }, '').database).toEqual({ folder: '/etc/verify/data' });
  expect(faultOf({})).toContain('Expected keys to be a list of at least one key');
});

it.each([
  [{ durations: { verifyAgain: 0 } }, 'durations.verifyAgain'],
  [{ durations: { verifyAgain: 1.5 } }, 'durations.verifyAgain'],
  [{ durations: { verifyagain: 5 } }, 'durations.verifyagain'],
  [{ limits: { batchPerSecond: 1_000_001 } }, 'limits.batchPerSecond'],
  [{ limits: { accountPerSecond: '5' } }, 'limits.accountPerSecond'],
  [{ billing: { url: 'https://billing.example' } }, 'billing.secret'],
  [{ billing: { url: 'ftp://billing.example', secret: SECRET } }, 'billing.url'],
  [{ billing: { url: 'https://billing.example', secret: 'whsec_short' } }, 'billing.secret'],
  [{ billing: { url: 'https://billing.example', secret: SECRET, perDay: 0 } }, 'billing.perDay'],
  [{ billing: { url: 'https://billing.example', secret: SECRET, publicKeys: 1 } }, 'billing.publicKeys'],
  [{ billing: {} }, 'billing.url'],
  [{ billing: { page: 'https://pay.example', perDay: 3 } }, 'billing.url'],
  [{ billing: { page: 'pay.example/{account}' } }, 'billing.page'],
  [{ credits: { refundUnknown: 'no' } }, 'credits.refundUnknown'],
  [{ credits: { low: 0 } }, 'credits.low to be a whole number from 1 to 1000000000'],
  [{ credits: { low: 1.5 } }, 'credits.low'],
  [{ credits: { refund: false } }, 'credits.refund'],
  [{ publicUrl: 'verify.example' }, 'publicUrl'],
  [{ publicUrl: 'https://verify.example/?a=b' }, 'publicUrl'],
  [{ publicUrl: 'https://user:hunter2@verify.example' }, 'publicUrl'],
])('refuses %j, and names the place', (section, place) => {
  const fault = faultOf({ database: 'data', ...section });
  expect(fault).toMatch(/^\/etc\/verify\/service\.json: Expected [^\n]+\.$/);
  expect(fault).toContain(place);
  expect(fault).not.toMatch(/hunter2|whsec_[Ms]/);
});

it('reads who must have a second factor', () => {
  const database = 'data';
  for (const secondFactor of ['optional', 'required-for-admins', 'required'])
    expect(load({ database, signIn: { secondFactor } }).signIn).toEqual({ secondFactor });
  const message = 'Expected signIn.secondFactor to be optional, required-for-admins or required';
  expect(faultOf({ database, signIn: { secondFactor: true } })).toContain(message);
});

it('reads the role, and where metrics are served', () => {
  const database = 'postgres://db.example/shop';
  const { role, metrics } = load({ database, role: 'worker', metrics: { port: 0 } });
  expect([role, metrics]).toEqual(['worker', { host: '127.0.0.1', port: 0 }]);
  expect(load({ database, metrics: { port: 9464, host: '::' } }).metrics).toEqual({ host: '::', port: 9464 });
});

it.each([
  [{ role: 'both' }, 'Expected role to be web, worker or all, got "both".'],
  [{ metrics: {} }, 'Expected metrics.port to be a whole number from 0 to 65535, got nothing.'],
  [
    { metrics: { port: 1, path: '/' } },
    'Expected only known names, got "metrics.path". The nearest known name is "metrics.port".',
  ],
])('refuses %j', (settings, message) => {
  expect(faultOf({ database: 'postgres://db.example/shop', ...settings })).toContain(message);
});
