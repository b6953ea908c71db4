import type { InjectOptions } from 'fastify';
import { describe, expect, it, vi } from 'vitest';
import { REASONS, STATES } from '../../../src/protocol/result.ts';
import type { KeyEntry } from '../../../src/service/config/sections/keys-section.ts';
import { idOf } from '../../../src/service/keys/config-keys.ts';
import { EVIL, FORM, failureOf, KEYS, multipart, SHOP, startService, UNFINISHED } from '../testing.ts';

const EMAIL = 'jane@company.example';
const FIELDS = [
  ...['accept_all', 'did_you_mean', 'disposable', 'domain', 'duration', 'email', 'first_name', 'free'],
  ...['full_name', 'gender', 'last_name', 'mailbox_full', 'mx_record', 'no_reply', 'reason', 'role', 'score'],
  ...['smtp_provider', 'state', 'tag', 'user'],
];
const JSON_TYPE = 'application/json';

/** Asks with a body, after what stands in the query. */
const post = (query: string, type: string, payload: string | object, headers: Record<string, string> = {}) =>
  startService().ask({
    ...{ method: 'POST', url: `/v1/verify${query}`, payload },
    headers: { 'content-type': type, ...headers },
  });

describe('the result', () => {
  it('has exactly the documented fields, each with its type', async () => {
    const answer = await startService().verify({ email: EMAIL });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const result = answer.json();
    expect(Object.keys(result).sort()).toEqual(FIELDS);
    expect(result).toMatchObject({
      domain: 'company.example',
      email: EMAIL,
      user: 'jane',
      tag: null,
      reason: expect.toSatisfy((reason) => REASONS.includes(reason)),
      state: expect.toSatisfy((state) => STATES.includes(state)),
      score: expect.any(Number),
      duration: expect.any(Number),
      mx_record: expect.any(String),
    });
  });

  it('is about the address without the spaces around it', async () => {
    const answer = await startService().verify({ email: `  ${EMAIL}\t` });
    expect(answer.json()).toEqual((await startService().verify({ email: EMAIL })).json());
  });

  it('says that what is no address is none, instead of failing', async () => {
    const answer = await startService().verify({ email: 'no address' });
    const result = { state: 'undeliverable', reason: 'invalid_email' };
    expect([answer.statusCode, answer.json()]).toMatchObject([200, result]);
  });

  it('is asked for again with 249 when it takes too long', async () => {
    const answer = await startService({ sampleVerifier: async () => UNFINISHED }).verify({ email: EMAIL });
    const message = 'Your request is taking longer than normal. Please send your request again.';
    expect([...failureOf(answer), answer.statusMessage]).toEqual([249, message, 'Try Again']);
  });

  it('is asked for with the documented defaults', async () => {
    const sampleVerifier = vi.fn(async () => UNFINISHED);
    const service = startService({ sampleVerifier });
    await service.verify({ email: EMAIL });
    await service.verify({ email: EMAIL, smtp: 'false', accept_all: 'true', timeout: '10' });
    expect(sampleVerifier.mock.calls).toEqual([
      [{ address: EMAIL, smtp: true, acceptAll: false, timeoutMs: 5000 }],
      [{ address: EMAIL, smtp: false, acceptAll: true, timeoutMs: 10_000 }],
    ]);
  });
});

describe('where parameters may stand', () => {
  const parameters = { api_key: 'test_private', email: 'jane+tag@company.example' };
  const parts = multipart(Object.entries(parameters));
  it.each([
    ['a form-encoded body', FORM, 'api_key=test_private&email=jane%2Btag%40company.example'],
    ['a JSON body', JSON_TYPE, JSON.stringify(parameters)],
    ['a multipart body', parts.type, parts.payload],
  ])('takes them from %s', async (_, type, payload) => {
    const answer = await post('', type, payload);
    expect(answer.json()).toMatchObject({ user: 'jane', tag: 'tag', domain: 'company.example' });
  });

  it('takes the key from the query and the rest from the body', async () => {
    const answer = await post('?api_key=test_private', FORM, 'email=jane@company.example');
    expect(answer.statusCode).toBe(200);
  });

  it.each([
    ['Bearer test_private', 200],
    ['bearer test_private', 200],
    ['Bearer test_unknown', 403],
    ['Bearer ', 401],
    ['Basic dGVzdA==', 401],
  ])('reads the header "Authorization: %s"', async (authorization, status) => {
    const answer = await startService().ask({ url: `/v1/verify?email=${EMAIL}`, headers: { authorization } });
    expect(answer.statusCode).toBe(status);
  });

  it('answers HEAD as GET, without a body', async () => {
    const url = `/v1/verify?api_key=test_private&email=${EMAIL}`;
    const answer = await startService().ask({ method: 'HEAD', url });
    expect([answer.statusCode, answer.body]).toEqual([200, '']);
  });

  it.each([
    ['two addresses', 'email=a@b.example&email=c@d.example', 'Expected one value for email'],
    ['two time limits', 'email=a@b.example&timeout=2&timeout=3', 'Expected one value for timeout'],
    ['two keys', 'email=a@b.example&api_key=test_office', 'Expected one credential'],
    ['a key and a token', 'email=a@b.example&access_token=other', 'Expected one credential'],
  ])('refuses %s that differ', async (_, query, message) => {
    const answer = await startService().ask({ url: `/v1/verify?api_key=test_private&${query}` });
    expect(failureOf(answer)).toEqual([400, expect.stringContaining(message)]);
  });

  it('refuses a body that differs from the query', async () => {
    const query = `?api_key=test_private&email=${EMAIL}`;
    const answer = await post(query, JSON_TYPE, { email: 'another@company.example' });
    expect(failureOf(answer)).toEqual([400, 'Expected one value for email, got several that differ.']);
  });

  it('takes two values that are the same for one', async () => {
    const query = `?api_key=test_private&email=${EMAIL}&timeout=5`;
    const headers = { authorization: 'Bearer test_private' };
    const answer = await post(query, JSON_TYPE, { email: EMAIL, timeout: 5 }, headers);
    expect(answer.statusCode).toBe(200);
  });
});

describe('parameters', () => {
  it.each(['2', '5', '10'])('takes a timeout of %s', async (timeout) => {
    expect((await startService().verify({ email: EMAIL, timeout })).statusCode).toBe(200);
  });

  const NO_TIMEOUTS = ['', '1', '11', '5.0', '05', '+5', ' 5', '0x5', '5e0', 'five'];
  it.each(NO_TIMEOUTS)('refuses a timeout of "%s"', async (timeout) => {
    const message = /^Expected timeout to be a whole number of seconds from 2 to 10, got /;
    const failure = failureOf(await startService().verify({ email: EMAIL, timeout }));
    expect(failure).toEqual([400, expect.stringMatching(message)]);
  });

  it.each([2.5, null, true, [5], 1, 11])('refuses a JSON timeout of %j', async (timeout) => {
    const answer = await post('?api_key=test_private', JSON_TYPE, { email: EMAIL, timeout });
    expect(answer.statusCode).toBe(400);
  });

  it.each(['smtp', 'accept_all'])('takes only true and false for %s', async (name) => {
    const service = startService();
    for (const value of ['true', 'false']) {
      expect((await service.verify({ email: EMAIL, [name]: value })).statusCode).toBe(200);
    }
    for (const value of ['', '1', 'TRUE', 'yes', 'null']) {
      const message = `Expected ${name} to be true or false (these words, in lower case), got "${value}".`;
      expect(failureOf(await service.verify({ email: EMAIL, [name]: value }))).toEqual([400, message]);
    }
  });

  it('takes booleans and numbers from JSON', async () => {
    const options = { smtp: false, accept_all: true, timeout: 3 };
    const answer = await post('', JSON_TYPE, { api_key: 'test_private', email: EMAIL, ...options });
    expect(answer.statusCode).toBe(200);
  });

  it.each([{}, { email: '' }, { email: '  ' }])(
    'refuses a missing or empty address: %j',
    async (parameters) => {
      const failure = failureOf(await startService().verify(parameters as Record<string, string>));
      expect(failure).toEqual([
        400,
        expect.stringMatching(/^Expected email to be the address to verify, got /),
      ]);
    },
  );

  it('leaves names it does not know alone', async () => {
    expect((await startService().verify({ email: EMAIL, _: '1', constructor: '2' })).statusCode).toBe(200);
  });
});

describe('credentials', () => {
  it.each<[string, Record<string, string>]>([
    ['"Authorization: Basic"', { authorization: 'Basic dGVzdF9wcml2YXRlOg==' }],
    ['X-API-Key', { 'x-api-key': 'test_private' }],
  ])('says where a key belongs that came in %s, without the key', async (where, headers) => {
    const answer = await startService().ask({ url: `/v1/verify?email=${EMAIL}`, headers });
    const right = 'as api_key, or in the header "Authorization: Bearer YOUR_KEY"';
    expect(failureOf(answer)).toEqual([401, `Expected the API key ${right}, got the header ${where}.`]);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('says that a key is required only when none was sent', async () => {
    const service = startService();
    const message = /^API key is required\. Send it as api_key, or in the header/;
    for (const query of ['', 'api_key=', 'access_token=']) {
      const failure = failureOf(await service.ask({ url: `/v1/verify?email=${EMAIL}&${query}` }));
      expect(failure).toEqual([401, expect.stringMatching(message)]);
    }
  });

  it('does not tell an unknown key from a wrong origin or a wrong IP address', async () => {
    const service = startService();
    const answers = await Promise.all([
      service.fromPage({ email: EMAIL }, { key: 'test_nonsense' }),
      service.fromPage({ email: EMAIL }, { origin: EVIL }),
      service.fromPage({ email: EMAIL }, { key: 'test_office' }),
      service.ask({ url: `/v1/verify?email=${EMAIL}&api_key=test_public` }),
      service.ask({ url: `/v1/verify?email=${EMAIL}&access_token=test_private` }),
    ]);
    const [first] = answers.map(failureOf);
    expect(first?.[0]).toBe(403);
    expect(answers.map(failureOf)).toEqual(answers.map(() => first));
    expect(new Set(answers.map(({ headers }) => Object.keys(headers).sort().join())).size).toBe(1);
  });

  it('lets a private key with a list of IP addresses be used from those', async () => {
    const service = startService();
    const statusFrom = async (ip: string) =>
      (await service.fromPage({ email: EMAIL }, { key: 'test_office', ip })).statusCode;
    for (const ip of ['192.0.2.1', '::ffff:192.0.2.1', '2001:db8:0::1', '10.200.3.4'])
      expect(await statusFrom(ip)).toBe(200);
    expect(await statusFrom('192.0.2.2')).toBe(403);
  });

  it('names the origin of the page in the demo, whether the key exists or not', async () => {
    const demo = startService({ demoFolder: '/nowhere', isDemo: true });
    const messageFor = async (origin: string, key: string) => {
      const [status, message] = failureOf(await demo.fromPage({ email: EMAIL }, { origin, key }));
      expect(status).toBe(403);
      return message;
    };
    const page = 'http://192.168.1.5:3000';
    expect(await messageFor(page, 'test_public')).toBe(
      `The API key is not accepted here. The page has the origin ${page}. Check the key, or start the service with a config that has the host of the page in trustedDomains.`,
    );
    expect(await messageFor('null', 'test_public')).toMatch(/origin null.*Open it from a server/);
    for (const origin of [page, 'null'])
      expect(await messageFor(origin, 'test_nonsense')).toBe(await messageFor(origin, 'test_public'));
    const { length } = await messageFor('http://'.padEnd(100, 'a'), 'test_public');
    expect(await messageFor(`http://${'a'.repeat(5000)}`, 'test_public')).toHaveLength(length);
    expect(await messageFor('http://\u00e9"<b>\u0000.test', 'test_public')).toContain('http://?"<b>?.test');
  });

  it('names no origin where the service runs alone', async () => {
    const answer = await startService().fromPage({ email: EMAIL }, { origin: EVIL });
    expect(failureOf(answer)[1]).not.toContain('evil');
  });

  it('believes one trusted proxy, and none unless told to', async () => {
    const request = {
      url: `/v1/verify?email=${EMAIL}&api_key=test_office`,
      // Whoever writes the first entry, the last one is the proxy's own.
      headers: { 'x-forwarded-for': '203.0.113.5, 192.0.2.1' },
    };
    expect((await startService().ask(request)).statusCode).toBe(403);
    expect((await startService({ trustProxy: true }).ask(request)).statusCode).toBe(200);
    const forged = { ...request, headers: { 'x-forwarded-for': '192.0.2.1, 203.0.113.5' } };
    expect((await startService({ trustProxy: true }).ask(forged)).statusCode).toBe(403);
  });

  it('takes the word of a page of its own where it has pages, and only there', async () => {
    const request = (host: string) => ({
      url: `/v1/verify?email=${EMAIL}&api_key=test_public`,
      headers: { host, 'sec-fetch-site': 'same-origin' },
    });
    const demo = startService({ demoFolder: '/nowhere', isDemo: true });
    expect((await demo.ask(request('127.0.0.1:8080'))).statusCode).toBe(200);
    expect((await demo.ask(request('evil.test'))).statusCode).toBe(403);
    expect((await startService().ask(request('127.0.0.1:8080'))).statusCode).toBe(403);
  });

  it('takes the referrer of a page of its own where browsers send no Sec-Fetch-Site, as without TLS on another device', async () => {
    const demo = startService({ demoFolder: '/nowhere', isDemo: true });
    const url = `/v1/verify?email=${EMAIL}&api_key=test_public`;
    const statusFor = async (headers: Record<string, string>, service = demo) =>
      (await service.ask({ url, headers: { host: '127.0.0.1:8080', ...headers } })).statusCode;
    const referer = 'http://127.0.0.1:8080/playground/?x';
    expect(await statusFor({ referer })).toBe(200);
    expect(await statusFor({ referer, host: 'evil.test' })).toBe(403);
    expect(await statusFor({ referer: 'http://127.0.0.1:80801/' })).toBe(403);
    expect(await statusFor({ referer: 'http://evil.test/http://127.0.0.1:8080/' })).toBe(403);
    expect(await statusFor({ referer, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusFor({ referer, origin: EVIL })).toBe(403);
    expect(await statusFor({ referer }, startService())).toBe(403);
  });
});

describe('the order of the checks', () => {
  it('names the key before the origin, the rate before the parameters', async () => {
    const service = startService({ limits: { verifyPerSecond: 1 } });
    const keyless = await service.ask({ url: '/v1/verify?timeout=99', headers: { origin: EVIL } });
    expect(keyless.statusCode).toBe(401);
    expect((await service.fromPage({}, { origin: EVIL })).statusCode).toBe(403);
    expect((await service.fromPage({})).statusCode).toBe(400);
    expect((await service.fromPage({})).statusCode).toBe(429);
  });

  it('uses up none of a key’s requests for a foreign page', async () => {
    const service = startService({ limits: { verifyPerSecond: 1 } });
    for (let times = 0; times < 5; times += 1) await service.fromPage({ email: EMAIL }, { origin: EVIL });
    expect((await service.fromPage({ email: EMAIL })).statusCode).toBe(200);
  });

  it('refuses an unknown key before it reads the body', async () => {
    expect((await post('?api_key=test_nonsense', JSON_TYPE, '{')).statusCode).toBe(403);
  });
});

describe('who may read the answer', () => {
  const readableBy = (answer: { headers: Record<string, unknown> }) =>
    answer.headers['access-control-allow-origin'];

  it('lets a trusted page read every answer of its key, failures included', async () => {
    const service = startService({ limits: { verifyPerSecond: 3 } });
    const answers = [
      await service.fromPage({ email: EMAIL }),
      await service.fromPage({}),
      await service.ask({
        method: 'POST',
        url: '/v1/verify?api_key=test_public',
        headers: { origin: SHOP, 'content-type': 'application/json' },
        payload: '{',
      }),
      await service.fromPage({ email: EMAIL }),
      await service.fromPage({ email: EMAIL }, { key: 'live_public' }),
      await service.ask({ url: '/v1/nothing?api_key=test_public', headers: { origin: SHOP } }),
      await service.ask({ method: 'PUT', url: '/v1/verify?api_key=test_public', headers: { origin: SHOP } }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 400, 400, 429, 503, 404, 405]);
    expect(answers.map(readableBy)).toEqual(answers.map(() => SHOP));
  });

  it('lets a page whose key is in the body read what it asked for', async () => {
    const answer = await post('', FORM, `api_key=test_public&email=${EMAIL}`, { origin: SHOP });
    expect([answer.statusCode, readableBy(answer)]).toEqual([200, SHOP]);
  });

  it('lets nobody read what belongs to no key, to a private one, or to another page', async () => {
    const service = startService();
    const headers = { origin: SHOP };
    const answers = [
      await service.ask({ url: `/v1/verify?email=${EMAIL}`, headers }),
      await service.fromPage({ email: EMAIL }, { key: 'test_nonsense' }),
      await service.fromPage({ email: EMAIL }, { origin: EVIL }),
      await service.fromPage({ email: EMAIL }, { origin: 'null' }),
      await service.fromPage({ email: EMAIL }, { key: 'test_private' }),
      await service.ask({ url: `/v1/verify?api_key=test_public&api_key=test_other`, headers }),
      await service.ask({ url: '/v1/nothing', headers }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 403, 403, 403, 200, 400, 404]);
    expect(answers.map(readableBy)).toEqual(answers.map(() => undefined));
  });

  it('takes back what the query’s key allowed when the body names another', async () => {
    const query = `?api_key=test_public&email=${EMAIL}`;
    const answer = await post(query, FORM, 'api_key=test_other', { origin: SHOP });
    expect([answer.statusCode, readableBy(answer)]).toEqual([400, undefined]);
  });

  it('varies by origin and is stored nowhere', async () => {
    const service = startService();
    const expected = { vary: 'Origin', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
    const good = `/v1/verify?api_key=test_private&email=${EMAIL}`;
    for (const url of [good, '/v1/verify', '/v1/nothing', '/oauth/token']) {
      const { headers } = await service.ask({ url });
      expect(headers).toMatchObject(expected);
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });

  it('answers the preflight of a page that any key trusts', async () => {
    const asked = { origin: 'https://www.other.example', 'access-control-request-method': 'POST' };
    const preflight = { method: 'OPTIONS', url: '/v1/verify', headers: asked } as const;
    const { statusCode, headers, body } = await startService().ask(preflight);
    expect([statusCode, body]).toEqual([204, '']);
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://www.other.example',
      'access-control-allow-methods': expect.stringContaining('POST'),
      'access-control-allow-headers': 'Authorization, Content-Type',
      vary: 'Origin',
    });
  });

  it('refuses the preflight of any other page', async () => {
    const preflight = { method: 'OPTIONS', url: '/v1/verify', headers: { origin: EVIL } } as const;
    const answer = await startService().ask(preflight);
    expect([answer.statusCode, readableBy(answer)]).toEqual([403, undefined]);
  });
});

describe('limits', () => {
  it('answers 25 requests of a key in the second that begins with the first', async () => {
    const service = startService({ limits: {} });
    const statuses = async (times: number) => {
      const answers = [];
      for (let time = 0; time < times; time += 1)
        answers.push((await service.verify({ email: EMAIL })).statusCode);
      return answers;
    };
    expect(new Set(await statuses(25))).toEqual(new Set([200]));
    service.now += 999;
    const refused = await service.verify({ email: EMAIL });
    expect(failureOf(refused)).toEqual([429, 'Rate Limit Exceeded']);
    expect(refused.headers['retry-after']).toBe('1');
    const url = `/v1/verify?api_key=test_office&email=${EMAIL}`;
    expect((await service.ask({ url, remoteAddress: '10.1.1.1' })).statusCode).toBe(200);
    service.now += 1;
    expect(await statuses(1)).toEqual([200]);
  });

  it('does not close the door for an hour when the machine’s clock is set back by one', async () => {
    const service = startService({ limits: { verifyPerSecond: 1 } });
    await service.verify({ email: EMAIL });
    service.now -= 3_600_000;
    vi.advanceTimersByTime(1000);
    expect((await service.verify({ email: EMAIL })).statusCode).toBe(200);
  });

  it('lets scripts read when to come back', async () => {
    const service = startService({ limits: { verifyPerSecond: 1 } });
    await service.fromPage({ email: EMAIL });
    const { headers } = await service.fromPage({ email: EMAIL });
    expect(headers).toMatchObject({
      'retry-after': '1',
      'access-control-expose-headers': expect.stringContaining('Retry-After'),
      'ratelimit-limit': '1',
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(service.now / 1000 + 1),
    });
  });

  it('answers ten different addresses a day for a visitor of a live public key', async () => {
    const service = startService();
    const ask = async (address: string, ip?: string) =>
      (await service.fromPage({ email: address }, { key: 'live_public', ...(ip ? { ip } : {}) })).statusCode;
    for (let count = 1; count <= 10; count += 1)
      expect(await ask(`visitor${count}@company.example`)).toBe(503);
    expect(await ask('visitor11@company.example')).toBe(429);
    expect(await ask(' Visitor3@company.example ')).toBe(503);
    expect(await ask('visitor11@company.example', '198.51.100.8')).toBe(503);
    service.now = Date.UTC(2026, 0, 15, 23, 59, 59);
    const refused = await service.fromPage({ email: 'visitor11@company.example' }, { key: 'live_public' });
    expect(failureOf(refused)).toEqual([429, 'Rate Limit Exceeded']);
    expect(refused.headers['retry-after']).toBe('1');
    service.now += 1000;
    expect(await ask('visitor11@company.example')).toBe(503);
  });

  it('counts no address that was refused for its parameters', async () => {
    const service = startService({ limits: { uniquePerDay: 1 } });
    await service.fromPage({ email: 'first@company.example', timeout: '99' }, { key: 'live_public' });
    expect((await service.fromPage({ email: EMAIL }, { key: 'live_public' })).statusCode).toBe(503);
  });

  it('does not count the days of test keys or private keys', async () => {
    const service = startService({ limits: { uniquePerDay: 1, verifyPerSecond: 1000 } });
    for (const address of ['one@company.example', 'two@company.example']) {
      expect((await service.fromPage({ email: address })).statusCode).toBe(200);
      expect((await service.fromPage({ email: address }, { key: 'live_private' })).statusCode).toBe(503);
    }
  });
});

it('gives live keys no sample result without a database, and the message names it', async () => {
  const url = '/v1/verify?api_key=live_private&email=deliverable@example.com';
  const answer = await startService().ask({ url });
  expect(failureOf(answer)).toEqual([503, expect.stringContaining('"database"')]);
});

it('logs the route, not the address, the key or the query', async () => {
  const service = startService();
  await service.verify({ email: EMAIL });
  await service.ask({ url: `/v1/${EMAIL}?api_key=test_private` });
  await service.fromPage({ email: EMAIL }, { key: 'test_office' });
  const text = service.logged.join('\n');
  expect(service.logged[0]).toContain('"route":"/v1/verify","status":200');
  expect(text).toContain('"route":"none","status":404');
  expect(text).not.toMatch(/jane|company|test_|api_key/);
});

describe('the log of a refused request', () => {
  const CAPTCHA_KEY: KeyEntry = {
    ...{ key: 'test_captcha', kind: 'public', trustedDomains: ['shop.example'] },
    captcha: { provider: 'turnstile', secret: 'hush' },
  };
  /** A provider to which the token `foreign` was given on another page, and every other one is bad. */
  const provider: typeof fetch = async (_url, init) =>
    new URLSearchParams(String(init?.body)).get('response') === 'foreign'
      ? Response.json({ success: true, hostname: 'evil.test' })
      : Response.json({ success: false, 'error-codes': [] });
  const page = (key: string, headers: Record<string, string> = { origin: SHOP }, token = '') => ({
    url: `/v1/verify?email=${EMAIL}&api_key=${key}${token && `&captcha_response=${token}`}`,
    ...{ headers, remoteAddress: '198.51.100.7' },
  });
  const inBody = (key: string) => ({
    ...{ method: 'POST' as const, url: '/v1/verify', payload: `email=${EMAIL}&api_key=${key}` },
    headers: { origin: EVIL, 'content-type': FORM },
  });
  const withToken = { url: `/v1/verify?email=${EMAIL}&access_token=test_private` };
  const preflight = (origin: string) => ({
    ...{ method: 'OPTIONS' as const, url: '/v1/verify', headers: { origin } },
  });
  const [PAGE, OTHER, , OFFICE] = KEYS;

  it.each<[string, InjectOptions, string, (KeyEntry | undefined)?]>([
    ['an unknown key', page('test_nonsense'), 'unknown_key'],
    ['an access token', withToken, 'unknown_key'],
    ['an untrusted origin', page('test_public', { origin: EVIL }), 'untrusted_origin', PAGE],
    ['an untrusted origin, key in the body', inBody('test_other'), 'untrusted_origin', OTHER],
    ['a file', page('test_other', { origin: 'null' }), 'null_origin', OTHER],
    ['a program with a public key', page('test_public', {}), 'missing_origin', PAGE],
    ['an untrusted IP address', page('test_office'), 'untrusted_ip', OFFICE],
    ['a missing token', page('test_captcha'), 'captcha_missing', CAPTCHA_KEY],
    ['a bad token', page('test_captcha', { origin: SHOP }, 'bad'), 'captcha_failed', CAPTCHA_KEY],
    ['a foreign token', page('test_captcha', { origin: SHOP }, 'foreign'), 'captcha_foreign', CAPTCHA_KEY],
    ['a preflight', preflight(EVIL), 'untrusted_origin'],
    ['a preflight of a file', preflight('null'), 'null_origin'],
  ])('says why, and which key it was: %s', async (_, request, reason, key) => {
    const service = startService({ keys: [...KEYS, CAPTCHA_KEY], fetch: provider });
    expect((await service.ask(request)).statusCode).toBe(403);
    expect(service.logged).toHaveLength(1);
    const [level, event, { durationMs, method, ...details }] = JSON.parse(service.logged[0]!);
    const expected = { route: '/v1/verify', status: 403, reason, ...(key && { key: idOf(key.key) }) };
    expect([level, event, details]).toEqual(['info', 'request', expected]);
    expect(service.logged[0]).not.toMatch(/test_|jane|company|evil|shop|198\.51|hush/);
  });

  it('names the key of a request that succeeds, and no reason', async () => {
    const service = startService();
    await service.verify({ email: EMAIL });
    expect(JSON.parse(service.logged[0]!)[2]).toMatchObject({ status: 200, key: idOf(KEYS[2]!.key) });
    expect(service.logged[0]).not.toContain('reason');
  });
});

it('answers 500 without a word of the cause, and logs where it happened without its message', async () => {
  const service = startService({ sampleVerifier: () => Promise.reject(new Error(`broke at ${EMAIL}`)) });
  const answer = await service.fromPage({ email: EMAIL });
  expect(failureOf(answer)).toEqual([500, 'Something went wrong on our side. Send the request again later.']);
  expect(answer.headers['access-control-allow-origin']).toBe(SHOP);
  expect(service.logged[0]).toContain('unexpected error');
  expect(service.logged.join()).not.toContain('jane');
});
