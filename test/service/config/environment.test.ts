/** Settings from environment variables: which wins, how values are written, and what the messages say. */
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/service/config/config-error.ts';
import type { Environment } from '../../../src/service/config/environment.ts';
import { loadSettings } from '../../../src/service/config/load-settings.ts';
import { SETTINGS } from '../../../src/service/config/variables.ts';
import { messageOf } from '../../message-of.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const FILES: Readonly<Record<string, string>> = {
  '/run/secrets/billing': `${SECRET}\n`,
  '/run/secrets/url': 'postgres://ada:hunter2@host/name\r\n',
  '/run/secrets/keys': '\uFEFF[{"key":"test_of_file","kind":"private"}]',
  '/run/secrets/empty': '\n',
};

function load(environment: Environment, config?: unknown) {
  const readFile = (path: string) => {
    if (path === '/etc/verify/service.json') return JSON.stringify(config);
    if (path in FILES) return FILES[path]!;
    throw Object.assign(new Error('not there'), { code: 'ENOENT' });
  };
  return loadSettings(config === undefined ? undefined : '/etc/verify/service.json', environment, readFile);
}

const faultOf = (environment: Environment, config?: unknown) =>
  messageOf(() => load(environment, config), ConfigError);

const EVW_DATABASE = 'postgres://host/name';

it('has one variable for each setting, named by one rule', () => {
  const names = SETTINGS.map(({ variable }) => variable);
  const files = SETTINGS.flatMap(({ variable, isSecret }) => (isSecret ? [`${variable}_FILE`] : []));
  expect(new Set([...names, ...files]).size).toBe(names.length + files.length);
  const some = ['EVW_LIMITS_VERIFY_PER_SECOND', 'EVW_LIVE_PER_HOST_CONNECTIONS', 'EVW_KEYS'];
  expect(names).toEqual(expect.arrayContaining(some));
  for (const name of names) expect(name).toMatch(/^EVW(_[A-Z]+)+$/);
});

it('needs no config file if the environment names a database or keys', () => {
  expect(load({ DATABASE_URL: EVW_DATABASE }).database).toEqual({ url: EVW_DATABASE });
  expect(load({ EVW_DATABASE }).database).toEqual({ url: EVW_DATABASE });
  expect(load({ EVW_DATABASE: 'data' }).database).toEqual({ folder: `${process.cwd()}/data` });
  const keys = [{ key: 'test_a', kind: 'private' }];
  expect(load({ EVW_KEYS: JSON.stringify(keys) }).keys).toEqual(keys);
});

it('reads numbers, booleans, texts and lists', () => {
  const settings = load({
    EVW_DATABASE,
    EVW_LIMITS_VERIFY_PER_SECOND: '50',
    EVW_DURATIONS_SESSION: '60',
    EVW_TRUST_PROXY: 'true',
    EVW_CREDITS_REFUND_UNKNOWN: 'false',
    EVW_PUBLIC_URL: 'https://verify.example/',
    EVW_PORT: '0',
    EVW_HOST: '0.0.0.0',
    EVW_LIVE_HELO: 'verify.example',
    EVW_LIVE_MAIL_FROM: '',
    EVW_LIVE_DNS: '["192.0.2.53"]',
    EVW_LIVE_PER_HOST_CONNECTIONS: '3',
    EVW_LIVE_GREYLIST_RETRIES: '[60, 120]',
  });
  expect(settings).toMatchObject({
    limits: { verifyPerSecond: 50, batchPerSecond: 5 },
    durations: { session: 60, verifyAgain: 300 },
    trustProxy: true,
    refundUnknown: false,
    publicUrl: 'https://verify.example',
    port: 0,
    host: '0.0.0.0',
    live: {
      helo: 'verify.example',
      mailFrom: '',
      dns: ['192.0.2.53'],
      perHost: { connections: 3, perMinute: 60 },
      greylistRetries: [60, 120],
    },
  });
});

it('wins over the config file, setting by setting', () => {
  const config = {
    database: 'data',
    limits: { verifyPerSecond: 1, batchPerSecond: 2 },
    live: { helo: 'file.example', mailFrom: 'probe@file.example' },
  };
  const environment = { EVW_LIMITS_VERIFY_PER_SECOND: '50', EVW_LIVE_HELO: 'verify.example' };
  expect(load(environment, config)).toMatchObject({
    database: { folder: '/etc/verify/data' },
    limits: { verifyPerSecond: 50, batchPerSecond: 2 },
    live: { helo: 'verify.example', mailFrom: 'probe@file.example' },
  });
});

it('lets DATABASE_URL win over everything, and completes a file that lacks a setting', () => {
  const DATABASE_URL = 'postgres://first/name';
  expect(load({ DATABASE_URL, EVW_DATABASE }, { database: 'data' }).database).toEqual({ url: DATABASE_URL });
  expect(load({ EVW_DATABASE }, { database: 'data' }).database).toEqual({ url: EVW_DATABASE });
  const { live } = load({ EVW_LIVE_MAIL_FROM: '', EVW_DATABASE }, { live: { helo: 'a.example' } });
  expect(live).toMatchObject({ mailFrom: '' });
});

it('ignores empty variables, and those of other programs', () => {
  const settings = load({ EVW_DATABASE, EVW_PORT: '', EVW_KEYS_FILE: '', DATABASE_URL: '', PATH: '/bin' });
  expect(settings).toMatchObject({ database: { url: EVW_DATABASE }, port: undefined, keys: [] });
});

it('reads secrets from files, without the trailing line break', () => {
  const files = { EVW_BILLING_SECRET_FILE: '/run/secrets/billing', EVW_KEYS_FILE: '/run/secrets/keys' };
  const EVW_BILLING_URL = 'https://billing.example';
  expect(load({ DATABASE_URL_FILE: '/run/secrets/url', EVW_BILLING_URL, ...files })).toMatchObject({
    database: { url: 'postgres://ada:hunter2@host/name' },
    billing: { secret: SECRET },
    keys: [{ key: 'test_of_file' }],
  });
});

describe('refuses', () => {
  it('to run with neither a file nor a variable', () => {
    expect(faultOf({})).toBe(
      'Expected --config FILE, but it is missing. Name the config file, or set variables such as DATABASE_URL.',
    );
  });

  it.each([
    [{ EVW_LIMITS_VERIFY_PER_SECONDS: '5' }, 'The nearest known name is EVW_LIMITS_VERIFY_PER_SECOND.'],
    [{ EVW_DATABASE_URL: 'x' }, 'got EVW_DATABASE_URL.'],
    [{ EVW_PORT_FILE: 'x' }, 'got EVW_PORT_FILE.'],
    [{ EVW_NONSENSE: '' }, 'got EVW_NONSENSE.'],
    [{ EVW_PORT: 'hunter' }, 'Expected EVW_PORT to be a whole number from 0 to 65535, got "hunter".'],
    [{ EVW_PORT: '65536' }, 'Expected EVW_PORT to be a whole number from 0 to 65535, got 65536.'],
    [{ EVW_TRUST_PROXY: 'yes' }, 'Expected EVW_TRUST_PROXY to be true or false, got "yes".'],
    [{ EVW_KEYS: '[{]' }, 'Expected EVW_KEYS to be a list in JSON, got a text that is not JSON.'],
    [{ EVW_KEYS: '5' }, 'Expected EVW_KEYS to be a list of keys'],
    [{ EVW_KEYS: '[{"key":"test_hunter2"}]' }, 'Expected EVW_KEYS[0].kind to be'],
    [
      { EVW_KEYS: '[{"key":"test_hunter2","kind":"public","trustedIps":["::1"]}]' },
      'Expected no trustedIps on a public key, got EVW_KEYS[0].trustedIps.',
    ],
    [
      { EVW_KEYS: `[${Array(2).fill('{"key":"test_hunter2","kind":"private"}')}]` },
      'got the key of EVW_KEYS[0] again in EVW_KEYS[1].key.',
    ],
    [{ EVW_LIVE_HELO: 'a.example' }, 'Expected EVW_LIVE_MAIL_FROM to be an address'],
    [
      { EVW_LIVE_HELO: 'a.example', EVW_LIVE_MAIL_FROM: '', EVW_LIVE_DNS: '["x"]' },
      'Expected EVW_LIVE_DNS[0] to be an IP address',
    ],
    [
      { EVW_BILLING_SECRET: `whsec_${'hunter2'.repeat(4)}` },
      'Expected EVW_BILLING_URL to be an http or https URL, got nothing.',
    ],
    [
      { EVW_BILLING_URL: 'https://billing.example', EVW_BILLING_SECRET: 'hunter2' },
      'Expected EVW_BILLING_SECRET to be whsec_',
    ],
    [{ EVW_PUBLIC_URL: 'verify.example' }, 'Expected EVW_PUBLIC_URL to be an http or https URL'],
    [{ EVW_KEYS: '[]', EVW_KEYS_FILE: '/run/secrets/keys' }, 'Expected EVW_KEYS or EVW_KEYS_FILE, got both.'],
    [
      { EVW_KEYS_FILE: '/run/secrets/none' },
      'a readable file in EVW_KEYS_FILE, got /run/secrets/none (ENOENT)',
    ],
    [{ EVW_KEYS_FILE: '/run/secrets/empty' }, 'Expected a secret in the file of EVW_KEYS_FILE'],
    [
      { DATABASE_URL: 'postgres://ada:hunter2@h/n', DATABASE_URL_FILE: '/run/secrets/url' },
      'Expected DATABASE_URL or DATABASE_URL_FILE, got both.',
    ],
  ])('%j, and names the variable but no secret', (variables, message) => {
    for (const config of [undefined, { limits: {} }]) {
      const fault = faultOf({ EVW_DATABASE, ...variables }, config);
      if (config === undefined) expect(fault).toContain(message);
      expect(fault).toMatch(/EVW_|DATABASE_URL|live\.mailFrom|billing\.url/);
      expect(fault).not.toContain('hunter2');
    }
  });

  it('a database of another kind, and names where it is', () => {
    const url = 'mysql://ada:hunter2@host/name';
    expect(faultOf({ EVW_DATABASE: url })).toMatch(/^Expected EVW_DATABASE to be a postgres:\/\/ URL/);
    expect(faultOf({ DATABASE_URL: url }, {})).toMatch(/^Expected DATABASE_URL to be a postgres:\/\/ URL/);
  });

  it('what is missing without a database, by the name of its variable', () => {
    const message = 'Expected EVW_KEYS to be a list of at least one key, got nothing.';
    expect(faultOf({ EVW_PORT: '1' })).toBe(message);
  });

  it('a wrong file by its own name, whatever the environment has', () => {
    for (const variable of ['EVW_PORT', 'EVW_LIMITS_UNIQUE_PER_DAY']) {
      const fault = faultOf({ [variable]: '1' }, { database: 'data', limits: 5 });
      expect(fault).toMatch(/^\/etc\/verify\/service\.json: Expected limits to be an object/);
    }
    expect(faultOf({ EVW_PORT: '1' }, [])).toMatch(/^\/etc\/verify\/service\.json: Expected the whole file/);
  });
});
