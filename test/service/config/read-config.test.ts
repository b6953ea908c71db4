import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/service/config/config-error.ts';
import { checkConfig, parseConfig } from '../../../src/service/config/read-config.ts';
import { messageOf } from '../../message-of.ts';

const readConfig = (text: string) => checkConfig(parseConfig(text), false);

const DOMAINS = ['localhost', '127.0.0.1', 'shop.example'];
const PUBLIC = { key: 'test_public', kind: 'public', trustedDomains: DOMAINS };
const PRIVATE = { key: 'live_private', kind: 'private', trustedIps: ['127.0.0.1', '::1', '192.0.2.0/24'] };

function faultOf(config: unknown): string {
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  return messageOf(() => readConfig(text), ConfigError);
}

const KEYS = { keys: [PUBLIC] };

/** The message for a name that is not known. */
const unknown = (got: string, nearest: string) =>
  `Expected only known names, got "${got}". The nearest known name is "${nearest}".`;

const faultOfKey = (change: object) => faultOf({ keys: [PRIVATE, { ...PUBLIC, ...change }] });

it('takes everything there is', () => {
  const turnstile = { provider: 'turnstile', secret: 's', siteverifyUrl: 'http://127.0.0.1:9999/siteverify' };
  const hcaptcha = { provider: 'hcaptcha', secret: 's', siteverifyUrl: 'https://x' };
  const config = {
    keys: [
      { ...PUBLIC, captcha: turnstile },
      { ...PUBLIC, key: 'live_public', captcha: hcaptcha },
      PRIVATE,
      { key: 'test_private', kind: 'private' },
    ],
    limits: { verifyPerSecond: 25, uniquePerDay: 10 },
    trustProxy: true,
    host: '0.0.0.0',
    port: 0,
  };
  expect(readConfig(JSON.stringify(config))).toEqual(config);
  expect(readConfig(`\uFEFF${JSON.stringify(config)}`)).toEqual(config);
});

const TAKEN = ['localhost', 'corp', 'company.co.uk', 'Shop.Example.', 'bücher.example', '192.0.2.1', '::1'];
it.each([...TAKEN, '2001:db8::1', '[::1]'])('takes the trusted domain "%s"', (domain) => {
  const config = { keys: [{ ...PUBLIC, trustedDomains: [domain] }] };
  expect(readConfig(JSON.stringify(config))).toEqual(config);
});

it('names a mistyped "database" instead of asking for keys', () => {
  expect(faultOf({ databse: 'data' })).toBe(unknown('databse', 'database'));
});

describe('names the place and what is expected', () => {
  const PER_DAY = { perDay: 1 };
  it.each<[string, unknown, string]>([
    ['JSON that goes wrong', '{"keys": 1,\n x}', 'Expected JSON, but it is wrong at line 2, column 2.'],
    ['JSON that goes wrong at once', '{"keys" 1}', 'Expected JSON, but it is wrong at line 1, column 9.'],
    ['JSON with a comma too many', '{"keys": [1,]}', "Expected JSON, but ']' is in the wrong place."],
    ['JSON that breaks off', '{"keys":', 'Expected JSON, but it ends too early.'],
    ['a byte order mark later', '{\uFEFF}', 'Expected JSON, but it is wrong at line 1, column 2.'],
    ['an empty file', '', 'Expected JSON, but it ends too early.'],
    ['a name twice', '{"keys": [], "keys": []}', 'Expected JSON, but the name "keys" is there twice.'],
    ['a list', [], 'Expected the whole file to be an object, got a list.'],
    ['no keys', {}, 'Expected keys to be a list of at least one key, got nothing.'],
    ['an empty list', { keys: [] }, 'Expected keys to be a list of at least one key, got a list.'],
    ['an unknown name', { keys: [PUBLIC], limit: {} }, unknown('limit', 'limits')],
    [
      'a limit of 0',
      { keys: [PUBLIC], limits: { uniquePerDay: 0 } },
      'Expected limits.uniquePerDay to be a whole number from 1 to 1000000, got 0.',
    ],
    [
      'an unknown limit',
      { keys: [PUBLIC], limits: PER_DAY },
      unknown('limits.perDay', 'limits.uniquePerDay'),
    ],
    [
      'a mistyped name that must be there',
      { keys: [PUBLIC], live: { helo: 'verify.example', mailfrom: '' } },
      unknown('live.mailfrom', 'live.mailFrom'),
    ],
    [
      'a name with other signs between its words',
      { keys: [PUBLIC], durations: { AUTHORIZATION_CODE: 1 } },
      unknown('durations.AUTHORIZATION_CODE', 'durations.authorizationCode'),
    ],
    [
      'a name that is missing in one place, and unknown in another',
      { keys: [{ key: 'test_x' }], limits: PER_DAY },
      'Expected keys[0].kind to be "public" or "private", got nothing.',
    ],
    ['an empty name', { keys: [PUBLIC], '': 1 }, unknown('', 'keys')],
    [
      'a very long name',
      { keys: [PUBLIC], [`port${'x'.repeat(1_000_000)}`]: 1 },
      `Expected only known names, got "port${'x'.repeat(55)}…. The nearest known name is "port".`,
    ],
    ['a port', { ...KEYS, port: 70_000 }, 'Expected port to be a whole number from 0 to 65535, got 70000.'],
    ['trustProxy', { ...KEYS, trustProxy: 'yes' }, 'Expected trustProxy to be true or false, got "yes".'],
  ])('%s', (_, config, message) => {
    expect(faultOf(config)).toBe(message);
  });

  it.each<[string, object, string]>([
    ['a kind', { kind: 'pubic' }, 'Expected keys[1].kind to be "public" or "private", got "pubic".'],
    ['an unknown name', { trustedDomain: [] }, unknown('keys[1].trustedDomain', 'keys[1].trustedDomains')],
    [
      'no domains',
      { trustedDomains: undefined },
      'Expected keys[1].trustedDomains with at least one host name, because a public key needs it.',
    ],
    [
      'an empty list',
      { trustedDomains: [] },
      'Expected keys[1].trustedDomains to be a list of at least one host name, got a list.',
    ],
    [
      'no text',
      { trustedDomains: [1] },
      'Expected keys[1].trustedDomains[0] to be a host name such as "shop.example", got 1.',
    ],
    [
      'IP addresses on a public key',
      { trustedIps: ['::1'] },
      'Expected no trustedIps on a public key, got keys[1].trustedIps. Remove it.',
    ],
    [
      'a provider',
      { captcha: { provider: 'x', secret: 's' } },
      'Expected keys[1].captcha.provider to be "turnstile", "hcaptcha" or "recaptcha", got a string that is not.',
    ],
  ])('of a key: %s', (_, change, message) => {
    expect(faultOfKey(change)).toBe(message);
  });

  it.each([
    'https://shop.example',
    'shop.example/',
    'shop.example:8080',
    '*.shop.example',
    '',
    'a b',
    '..',
    'shop..example',
    'me@shop.example',
    'shop.example?x',
    'shop.example#x',
    'shop.example\\x',
    '[::1]:8080',
    '::1:shop',
  ])('of a trusted domain: "%s"', (domain) => {
    const message = 'Expected keys[1].trustedDomains[1] to be a bare host name such as "shop.example"';
    expect(faultOfKey({ trustedDomains: ['localhost', domain] })).toContain(message);
  });

  it('cuts short what was written where it gets long', () => {
    const faultOfIp = (ip: string) => faultOf({ keys: [{ ...PRIVATE, trustedIps: [ip] }] });
    expect(faultOfIp('x'.repeat(60))).toMatch(/got "x{60}"\.$/);
    expect(faultOfIp('x'.repeat(61))).toMatch(/got "x{60}…"\.$/);
  });

  it.each(['ftp://x', 'xhttp://x', 'httpx://x', 'siteverify'])(
    'of a captcha’s address: %s',
    (siteverifyUrl) => {
      const place = 'keys[1].captcha.siteverifyUrl';
      const message = `Expected ${place} to be an http or https URL, got a string that is not.`;
      expect(faultOfKey({ captcha: { provider: 'hcaptcha', secret: 's', siteverifyUrl } })).toBe(message);
    },
  );

  it.each(['com', 'co.uk'])('of a trusted domain that anybody can be under: %s', (domain) => {
    const message = 'Expected keys[1].trustedDomains[0] to be a domain of your own';
    expect(faultOfKey({ trustedDomains: [domain] })).toContain(message);
  });

  it.each(['192.0.2', '192.0.2.0/33', '::1/129', 'localhost', 'fe80::1%eth0', '192.0.2.1/'])(
    'of a trusted IP: %s',
    (ip) => {
      const message = 'Expected keys[0].trustedIps[0] to be an IP address';
      expect(faultOf({ keys: [{ ...PRIVATE, trustedIps: [ip] }] })).toContain(message);
    },
  );

  it.each(['trustedDomains', 'captcha'])('of %s on a private key', (name) => {
    const value = name === 'captcha' ? { provider: 'hcaptcha', secret: 's' } : ['localhost'];
    const message = `Expected no ${name} on a private key, got keys[0].${name}. Remove it.`;
    expect(faultOf({ keys: [{ ...PRIVATE, [name]: value }] })).toBe(message);
  });
});

it('names the file as well when it is about one, and no key', () => {
  const refusal = 'a.json: Expected x, got live_….';
  expect(new ConfigError('Expected x, got live_hush.', 'a.json').message).toBe(refusal);
  expect(new ConfigError('Expected x, got live_hush.').message).toBe('Expected x, got live_….');
});

describe('keeps secrets to itself', () => {
  const KEY = 'live_hush';
  const SECRET = '0x4AAAAAAAhush';
  const captcha = { provider: 'turnstile', secret: 'x' };

  it.each<[string, unknown]>([
    ['the whole file', `"${KEY}"`],
    ['the keys', { keys: KEY }],
    ['a name of the file', { keys: [PRIVATE], [KEY]: 1 }],
    ['a name that is there twice', `{"${KEY}": 1, "${KEY}": 1}`],
    ['one of the keys', { keys: [KEY] }],
    ['a key without its beginning, for one of the keys', { keys: [SECRET] }],
    ['a name of a key', { keys: [{ [KEY]: 'public' }] }],
    ['a kind', { keys: [{ key: 'live_x', kind: KEY }] }],
    ['a key that is a number', { keys: [{ key: 4111, kind: 'private' }] }],
    ['a domain', { keys: [{ ...PUBLIC, trustedDomains: [`https://${KEY}`] }] }],
    ['an IP address', { keys: [{ ...PRIVATE, trustedIps: [KEY] }] }],
    ['a captcha', { keys: [{ ...PUBLIC, captcha: SECRET }] }],
    ['a provider', { keys: [{ ...PUBLIC, captcha: { provider: SECRET, secret: 'turnstile' } }] }],
    ['an address', { keys: [{ ...PUBLIC, captcha: { ...captcha, siteverifyUrl: SECRET } }] }],
    ['a limit', { keys: [PRIVATE], limits: { uniquePerDay: KEY } }],
    ['a port', { keys: [PRIVATE], port: KEY }],
  ])('that stand in the place of %s', (_, config) => {
    expect(faultOf(config)).not.toMatch(/hush|4111/);
  });

  it('when a key is malformed', () => {
    const expected = 'keys[1].key to be test_ or live_ followed by letters, digits, _ or -';
    expect(faultOfKey({ key: 'prod_hush' })).toBe(`Expected ${expected}, got a string that is not.`);
  });

  it('when a key is there twice', () => {
    const message = 'Expected every key once, got the key of keys[0] again in keys[1].key.';
    expect(faultOfKey({ key: PRIVATE.key })).toBe(message);
  });

  it('when the text is no JSON', () => {
    expect(faultOf('{"keys": [{"secret": "hush}]}')).not.toContain('hush');
  });
});
