/** `/v1/verify` with live keys of a database, over HTTP and with a scripted verifier. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { KeyEntry } from '../../../src/service/config/sections/keys-section.ts';
import type { Billing } from '../../../src/service/credits/billing/billing.ts';
import { changeCredits } from '../../../src/service/credits/credit-store.ts';
import type { NewKey } from '../../../src/service/keys/key-store.ts';
import { readDailyCounts } from '../../../src/service/usage/usage-store.ts';
import { deadlineAfter } from '../../../src/service/verify/live/deadline.ts';
import { listenOnLoopback } from '../../loopback.ts';
import { creditsOf, ledgerOf, makeAccount } from '../support/account.ts';
import { countRoundTrips } from '../support/counted-database.ts';
import { testDatabase } from '../support/database.ts';
import {
  beginSecond,
  createHeldScript,
  createScript,
  failureOf,
  makeCustomer,
  passAtOnce,
  startStoredService,
  storeKey,
} from '../support/stored-service.ts';

const database = await testDatabase();
const { db } = database;

const SHOP = 'https://shop.example';
const LIVE_PRIVATE = { kind: 'private', mode: 'live' } as const;
const LIVE_PUBLIC = { kind: 'public', mode: 'live' } as const;
const TEST_PRIVATE = { kind: 'private', mode: 'test' } as const;

const makeKey = (credits: number, kind: Partial<NewKey> = LIVE_PRIVATE) => makeCustomer(db, credits, kind);

const verifyUrl = (key: string, more: Record<string, string> = {}) =>
  `/v1/verify?${new URLSearchParams({ api_key: key, email: 'jo@company.example', ...more })}`;

describe('a live key', () => {
  it('gets the result for one credit', async () => {
    const { verifier, asked } = createScript({ reason: 'accepted_email', score: 95 });
    const service = await startStoredService(db, { verifier });
    const { key, accountId } = await makeKey(3);
    const answer = await service.ask({ url: verifyUrl(key, { email: ' Jo@company.example ' }) });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ email: 'Jo@company.example', state: 'deliverable', score: 95 });
    expect(asked).toEqual(['Jo@company.example']);
    expect(await creditsOf(db, accountId)).toBe(2);
    expect(await ledgerOf(db, accountId)).toEqual({ 'top-up': 1, verification: 1 });
    expect(service.logged.join()).not.toMatch(/company|live_private/);
  });

  it('gets a 503 while no mail server can be reached, which costs nothing', async () => {
    const { verifier, asked } = createScript();
    let isPortClosed = true;
    const service = await startStoredService(db, { verifier, isPortClosed: () => isPortClosed });
    const { key, accountId } = await makeKey(3);
    const [status, message] = failureOf(await service.ask({ url: verifyUrl(key) }));
    expect([status, message]).toEqual([503, expect.stringContaining('cannot reach any mail server')]);
    expect([asked, await creditsOf(db, accountId)]).toEqual([[], 3]);
    isPortClosed = false;
    expect((await service.ask({ url: verifyUrl(key) })).statusCode).toBe(200);
  });

  it.each([
    [undefined, false],
    ['false', false],
    ['true', true],
  ])('with accept_all=%s asks for it: %s, whatever batches do by default', async (accept_all, expected) => {
    const verifier = vi.fn(createScript().verifier);
    const service = await startStoredService(db, { verifier, live: { catchAllByDefault: true } });
    const { key } = await makeKey(3);
    await service.ask({ url: verifyUrl(key, accept_all === undefined ? {} : { accept_all }) });
    expect(verifier.mock.calls.map(([{ acceptAll }]) => acceptAll)).toEqual([expected]);
  });

  it('gets a 402 with both numbers and starts nothing without credits', async () => {
    const { verifier, asked } = createScript();
    const service = await startStoredService(db, { verifier });
    const { key, accountId } = await makeKey(0);
    const [status, message] = failureOf(await service.ask({ url: verifyUrl(key) }));
    expect([status, message.match(/\d+/g)]).toEqual([402, ['1', '0']]);
    expect(asked).toEqual([]);
    expect(await ledgerOf(db, accountId)).toEqual({});
  });

  it('gets exactly the results that its credits pay for, of 100 requests at once', async () => {
    const { verifier, asked } = createScript();
    const service = await startStoredService(db, { verifier });
    const { key, accountId } = await makeKey(10);
    const urls = Array.from({ length: 100 }, (_, index) => verifyUrl(key, { email: `a${index}@x.example` }));
    const answers = await Promise.all(urls.map((url) => service.ask({ url })));
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(90).fill(402)]);
    expect(asked).toHaveLength(10);
    expect(await creditsOf(db, accountId)).toBe(0);
  });

  it('gets a 249, and then the result for one credit in all, also with another timeout', async () => {
    const { verifier, asked, release } = createHeldScript();
    const deadlines = vi.fn((_timeoutMs: number) => passAtOnce());
    const service = await startStoredService(db, { verifier, deadlineAfter: deadlines });
    const { key, accountId } = await makeKey(2);
    const late = await service.ask({ url: verifyUrl(key, { timeout: '2' }) });
    expect(late.statusCode).toBe(249);
    expect(late.statusMessage).toBe('Try Again');
    expect(late.json()).toEqual({ message: expect.stringContaining('again') });
    expect(deadlines.mock.calls).toEqual([[2_000]]);
    deadlines.mockImplementation(deadlineAfter);
    release();
    const result = await service.ask({ url: verifyUrl(key, { timeout: '10' }) });
    expect([result.statusCode, result.json().state]).toEqual([200, 'deliverable']);
    expect((await service.ask({ url: verifyUrl(key) })).statusCode).toBe(200);
    expect(asked).toHaveLength(1);
    expect(await creditsOf(db, accountId)).toBe(1);
    // Other options are another question.
    expect((await service.ask({ url: verifyUrl(key, { smtp: 'false' }) })).statusCode).toBe(200);
    expect([asked.length, await creditsOf(db, accountId)]).toEqual([2, 0]);
  });

  it('pays again for the same question after a plain result', async () => {
    const { verifier } = createScript();
    const service = await startStoredService(db, { verifier });
    const { key, accountId } = await makeKey(2);
    await service.ask({ url: verifyUrl(key) });
    await service.ask({ url: verifyUrl(key) });
    expect(await creditsOf(db, accountId)).toBe(0);
  });

  it.each([
    [true, 1],
    [false, 0],
  ])(
    'gets an unknown result with refundUnknown %s, and has %i of 1 credit left',
    async (refundUnknown, left) => {
      const { verifier } = createScript({ state: 'unknown', reason: 'no_connect' });
      const service = await startStoredService(db, { verifier, refundUnknown });
      const { key, accountId } = await makeKey(1);
      const answer = await service.ask({ url: verifyUrl(key) });
      expect([answer.statusCode, answer.json().state]).toEqual([200, 'unknown']);
      expect(await creditsOf(db, accountId)).toBe(left);
    },
  );

  it('gets a 500 and its credit back when the verifier fails', async () => {
    const service = await startStoredService(db, { verifier: () => Promise.reject(new Error('jo@company')) });
    const { key, accountId } = await makeKey(1);
    expect((await service.ask({ url: verifyUrl(key) })).statusCode).toBe(500);
    expect(await creditsOf(db, accountId)).toBe(1);
    expect(service.logged.join()).not.toContain('jo@company');
  });

  it('gets a 503 and pays nothing in a service without a verifier', async () => {
    const service = await startStoredService(db, { limits: { uniquePerDay: 2 } });
    const { key, accountId } = await makeKey(1);
    const failure = failureOf(await service.ask({ url: verifyUrl(key) }));
    expect(failure).toEqual([503, expect.stringMatching(/live keys/)]);
    // The day's addresses count as they do in the sandbox.
    const page = await storeKey(db, accountId, LIVE_PUBLIC);
    const headers = { origin: SHOP };
    const statuses: number[] = [];
    for (const name of ['a', 'b', 'a', 'c']) {
      const url = verifyUrl(page.key, { email: `${name}@company.example` });
      statuses.push((await service.ask({ url, headers })).statusCode);
    }
    expect(statuses).toEqual([503, 503, 503, 429]);
    expect(await creditsOf(db, accountId)).toBe(1);
  });

  it.each([
    ['private', { key: 'live_config', kind: 'private' }],
    ['public', { key: 'live_config', kind: 'public', trustedDomains: ['shop.example'] }],
  ] satisfies [string, KeyEntry][])('gets a 503 if it is a %s one of the config', async (_, entry) => {
    const { verifier, asked } = createScript();
    const service = await startStoredService(db, { verifier, keys: [entry] });
    const headers = { origin: SHOP };
    const answer = await service.ask({ url: verifyUrl('live_config'), headers });
    expect(failureOf(answer)).toEqual([503, expect.stringMatching(/live keys/)]);
    expect(asked).toEqual([]);
  });

  it('is a 403 if its account is deleted between its lookup and its work', async () => {
    const { verifier, asked } = createScript();
    const service = await startStoredService(db, { verifier });
    const accountId = await makeAccount(db, 5);
    const server = await storeKey(db, accountId, LIVE_PRIVATE);
    const page = await storeKey(db, accountId, LIVE_PUBLIC);
    const test = await storeKey(db, accountId);
    const headers = { origin: SHOP };
    const once = { method: 'POST', headers: { 'idempotency-key': 'once' } } as const;
    // From here on, the three keys are held.
    for (const { key } of [server, page, test])
      await service.ask({ url: `/v1/verify?api_key=${key}`, headers });
    await db.deleteFrom('accounts').where('id', '=', accountId).execute();
    const answers = [
      await service.ask({ url: verifyUrl(server.key) }),
      await service.ask({ url: verifyUrl(page.key), headers }),
      await service.ask({ ...once, url: verifyUrl(test.key) }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403]);
    expect(asked).toEqual([]);
  });
});

describe('billing', () => {
  const askWith = (ask: Billing['ask']) => ({ billing: { ask: vi.fn(ask) } });

  it('is asked for the missing credit, and the verification goes on', async () => {
    const { verifier, asked } = createScript();
    const options = askWith(async ({ accountId }) => {
      await changeCredits(db, accountId, { amount: 5, why: 'billing', of: accountId });
      return { kind: 'credited', isOwn: true };
    });
    const service = await startStoredService(db, { verifier, ...options });
    const { key, accountId } = await makeKey(0);
    expect((await service.ask({ url: verifyUrl(key) })).statusCode).toBe(200);
    expect(options.billing.ask).toHaveBeenCalledExactlyOnceWith({
      ...{ accountId, needed: 1, available: 0 },
      ...{ since: expect.any(Number), isPublic: false },
    });
    expect([asked.length, await creditsOf(db, accountId)]).toEqual([1, 4]);
  });

  it('costs a visitor no address of the day while credits are missing, and leaves nothing of the visitor', async () => {
    const { verifier } = createScript();
    const service = await startStoredService(db, { verifier, limits: { uniquePerDay: 2 } });
    const { key, id, accountId } = await makeKey(0, LIVE_PUBLIC);
    const ask = async (name: string) => {
      const url = verifyUrl(key, { email: `${name}@company.example` });
      return (await service.ask({ url, headers: { origin: SHOP } })).statusCode;
    };
    const rows = () => db.selectFrom('visitors').select('addresses').where('key_id', '=', id).execute();
    expect([await ask('a'), await ask('b'), await ask('c'), await rows()]).toEqual([402, 402, 402, []]);
    await changeCredits(db, accountId, { amount: 1, why: 'top-up' });
    expect([await ask('a'), await ask('b'), await ask('c'), await ask('a')]).toEqual([200, 402, 402, 200]);
    expect(await rows()).toEqual([{ addresses: [expect.any(Buffer)] }]);
  });

  it('knows that a public key needs the credit', async () => {
    const options = askWith(async () => ({ kind: 'refused', message: 'Not for public keys.' }));
    const service = await startStoredService(db, { verifier: createScript().verifier, ...options });
    const { key } = await makeKey(0, LIVE_PUBLIC);
    const headers = { origin: SHOP };
    const failure = failureOf(await service.ask({ url: verifyUrl(key), headers }));
    expect(failure).toEqual([402, 'Not for public keys.']);
    expect(options.billing.ask).toHaveBeenCalledWith(expect.objectContaining({ isPublic: true }));
  });

  it('words the 402 when it refuses', async () => {
    const { verifier, asked } = createScript();
    const options = askWith(async () => ({ kind: 'refused', message: 'The card was declined.' }));
    const service = await startStoredService(db, { verifier, ...options });
    const { key } = await makeKey(0);
    const answer = await service.ask({ url: verifyUrl(key) });
    expect(failureOf(answer)).toEqual([402, 'The card was declined.']);
    expect(answer.headers['ratelimit-limit']).toBe('1000000');
    expect(asked).toEqual([]);
  });
});

describe('the rate limit of stored keys', () => {
  /** The second of an account or a public key, and the requests in it. */
  const secondOf = (subject: string) => {
    const rates = db.selectFrom('rates').selectAll().where('account_id', '=', subject);
    return rates.where('endpoint', '=', '/v1/verify').executeTakeFirst();
  };
  const countOf = async (accountId: string) => (await secondOf(accountId))?.count ?? 0;

  interface Request {
    readonly query?: Record<string, string>;
    readonly suffix?: string;
    readonly headers?: Record<string, string>;
    readonly payload?: string;
  }
  const json = { 'content-type': 'application/json' };
  const KEYED: Request = { headers: { ...json, 'idempotency-key': 'once' }, payload: '{}' };

  describe.each<[string, number, Request]>([
    ['a result', 200, {}],
    ['a parameter that is wrong', 400, { query: { timeout: '99' } }],
    ['an email that is missing', 400, { query: { email: '' } }],
    ['wrong escapes in the query', 400, { suffix: '&x=%ff' }],
    ['a body that cannot be parsed', 400, { headers: json, payload: '{"email"' }],
    ['a type of body that is unknown', 415, { headers: { 'content-type': 'text/xml' }, payload: '<a/>' }],
    ['a body that is too large', 413, { headers: json, payload: `{"x":"${'x'.repeat(70_000)}"}` }],
    ['an Idempotency-Key that is empty', 400, { headers: { 'idempotency-key': '' }, payload: '' }],
    ['an Idempotency-Key', 200, KEYED],
  ])('with %s', (_, status, request) => {
    const { query = {}, suffix = '', headers = {}, payload } = request;
    const send = (key: string) => ({
      url: verifyUrl(key, query) + suffix,
      headers,
      ...(payload === undefined ? {} : { method: 'POST' as const, payload }),
    });

    it.each([LIVE_PRIVATE, LIVE_PUBLIC, TEST_PRIVATE])(
      'counts once for a $kind $mode key, and says so',
      async (kind) => {
        const { verifier } = createScript();
        const service = await startStoredService(db, { verifier, limits: { verifyPerSecond: 7 } });
        const { key, id, accountId } = await makeKey(2, kind);
        // A public key has a count of its own.
        const subject = kind === LIVE_PUBLIC ? id : accountId;
        // The second must not pass while the service starts.
        await service.app.ready();
        await beginSecond(db, subject, '/v1/verify');
        const answer = await service.ask({ ...send(key), headers: { ...headers, origin: SHOP } });
        const { count, started_at } = (await secondOf(subject))!;
        // A public key cannot have an Idempotency-Key.
        const expected = request === KEYED && kind === LIVE_PUBLIC ? 400 : status;
        expect([answer.statusCode, count]).toEqual([expected, 2]);
        expect(answer.headers).toMatchObject({
          'ratelimit-limit': '7',
          'ratelimit-remaining': '5',
          'ratelimit-reset': String(Math.ceil(started_at.getTime() / 1_000) + 1),
        });
      },
    );

    it.each([LIVE_PRIVATE, TEST_PRIVATE])(
      'answers 429 over the limit of a $mode key, whatever else is wrong',
      async (kind) => {
        const { verifier, asked } = createScript();
        const service = await startStoredService(db, { verifier, limits: { verifyPerSecond: 1 } });
        const { key, accountId } = await makeKey(2, kind);
        await service.app.ready();
        await beginSecond(db, accountId, '/v1/verify');
        const answer = await service.ask(send(key));
        expect(failureOf(answer)).toEqual([429, 'Rate Limit Exceeded']);
        expect(answer.headers).toMatchObject({ 'retry-after': '1', 'ratelimit-remaining': '0' });
        expect([asked, await creditsOf(db, accountId)]).toEqual([[], 2]);
      },
    );
  });

  it.each([
    ['a 402', 0, 402],
    ['a 249', 1, 249],
  ])('counts %s once', async (_, credits, status) => {
    const { verifier, release } = createHeldScript();
    const service = await startStoredService(db, { verifier });
    const { key, accountId } = await makeKey(credits);
    const answer = await service.ask({ url: verifyUrl(key, { timeout: '2' }) });
    release();
    expect([answer.statusCode, answer.headers['ratelimit-remaining']]).toEqual([status, '999999']);
    expect(await countOf(accountId)).toBe(1);
  });

  it('does not count a request without a key that is accepted', async () => {
    const service = await startStoredService(db, createScript());
    const { key, accountId } = await makeKey(1, LIVE_PUBLIC);
    const foreign = await service.ask({ url: verifyUrl(key), headers: { origin: 'https://evil.example' } });
    expect([foreign.statusCode, foreign.headers['ratelimit-limit']]).toEqual([403, undefined]);
    expect(await countOf(accountId)).toBe(0);
  });

  it('is shared by the keys of an account in two processes', async () => {
    const options = { verifier: createScript().verifier, limits: {} };
    const pools = [db, database.connect()];
    const services = await Promise.all(pools.map((pool) => startStoredService(pool, options)));
    const { key, accountId } = await makeKey(100);
    const other = await storeKey(db, accountId);
    await Promise.all(services.map(({ app }) => app.ready()));
    await beginSecond(db, accountId, '/v1/verify');
    const ask = (index: number) => {
      const url = verifyUrl(index % 3 === 0 ? other.key : key, { email: `b${index}@company.example` });
      return services[index % 2]!.ask({ url });
    };
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => ask(index)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(24);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(16);
  });
});

describe('a request', () => {
  /** A clock that goes on with each look only, so that a key is held however slow the machine is. */
  const slowDownClock = () => {
    let looks = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      looks += 1;
      return looks;
    });
  };

  /** A service, and the statements of its requests since the last call. */
  async function startCounted() {
    slowDownClock();
    const counted = countRoundTrips(database.url);
    onTestFinished(() => counted.close());
    const service = await startStoredService(counted.db, { verifier: createScript().verifier });
    // The housekeeping does not run here, and the heartbeat touches one table.
    const ofRequest = () => counted.take().filter((statement) => !/"processes"/.test(statement));
    ofRequest();
    return { service, ofRequest };
  }

  it('costs two round trips to the database while its live key is held, and a third one for an unheld key', async () => {
    const { service, ofRequest } = await startCounted();
    const { key } = await makeKey(10);
    await service.ask({ url: verifyUrl(key) });
    expect(ofRequest()).toHaveLength(3);
    for (const method of ['GET', 'POST'] as const) {
      await service.ask({ method, url: verifyUrl(key) });
      expect(ofRequest()).toHaveLength(2);
    }
  });

  it('costs one round trip with a test key, which counts the request and its result', async () => {
    const { service, ofRequest } = await startCounted();
    const { key, accountId } = await makeKey(0, TEST_PRIVATE);
    await service.ask({ url: verifyUrl(key) });
    ofRequest();
    for (const method of ['GET', 'POST'] as const) {
      await service.ask({ method, url: verifyUrl(key) });
      expect(ofRequest()).toHaveLength(1);
    }
    expect(await readDailyCounts(db, accountId, { mode: 'test', days: 1 })).toMatchObject([{ count: 3 }]);
  });

  it('is finished when the service stops', async () => {
    const { verifier, release, hasStarted } = createHeldScript();
    const service = await startStoredService(db, { verifier });
    const { key, accountId } = await makeKey(1);
    const address = await service.app.listen({ port: 0, host: '127.0.0.1' });
    const answer = fetch(`${address}${verifyUrl(key)}`, { headers: { connection: 'close' } });
    await hasStarted;
    const closed = service.app.close();
    release();
    const { status } = await answer;
    await closed;
    expect([status, await creditsOf(db, accountId)]).toEqual([200, 0]);
  });
});

describe("a live public key's visitor", () => {
  it('has ten addresses a day in all processes together, and more with a test key', async () => {
    const { verifier } = createScript();
    const pools = [db, database.connect()];
    const services = await Promise.all(pools.map((pool) => startStoredService(pool, { verifier })));
    const { key, accountId } = await makeKey(100, LIVE_PUBLIC);
    const headers = { origin: 'https://www.shop.example' };
    const ask = (index: number) =>
      services[index % 2]!.ask({ url: verifyUrl(key, { email: `c${index}@company.example` }), headers });
    const answers = await Promise.all(Array.from({ length: 14 }, (_, index) => ask(index)));
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    expect([answers.length - refused.length, refused.length]).toEqual([10, 4]);
    expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused[0]!.headers['access-control-allow-origin']).toBe('https://www.shop.example');
    expect(await creditsOf(db, accountId)).toBe(90);
    const test = await storeKey(db, accountId, { kind: 'public' });
    for (let count = 0; count < 12; count += 1) {
      const url = verifyUrl(test.key, { email: `d${count}@company.example` });
      expect((await services[0]!.ask({ url, headers })).statusCode).toBe(200);
    }
  });

  it('loses no address to a failed captcha, and no token to a request that is wrong', async () => {
    const tokens: unknown[] = [];
    const provider = createServer(async (request, response) => {
      tokens.push(new URLSearchParams(await text(request)).get('response'));
      response.end(JSON.stringify({ success: tokens.at(-1) === 'solved' }));
    });
    const port = await listenOnLoopback(provider);
    const { verifier } = createScript();
    const service = await startStoredService(db, { verifier, fetch, limits: { uniquePerDay: 1 } });
    const captcha = { captcha_provider: 'turnstile', captcha_secret: 'hush' } as const;
    const siteverify_url = `http://127.0.0.1:${port}/`;
    const { key } = await makeKey(5, { ...LIVE_PUBLIC, ...captcha, siteverify_url });
    const ask = async (more: Record<string, string>, headers: Record<string, string> = {}) => {
      const request = {
        method: 'POST',
        url: verifyUrl(key, more),
        headers: { origin: SHOP, ...headers },
      } as const;
      return (await service.ask(request)).statusCode;
    };
    expect(await ask({})).toBe(403);
    expect(await ask({ captcha_response: 'solved', timeout: '1' })).toBe(400);
    expect(await ask({ captcha_response: 'solved' }, { 'idempotency-key': 'once' })).toBe(400);
    expect(tokens).toEqual([]);
    expect(await ask({ captcha_response: 'wrong', email: 'other@company.example' })).toBe(403);
    expect(await ask({ captcha_response: 'solved' })).toBe(200);
    expect(tokens).toEqual(['wrong', 'solved']);
    expect(await ask({ captcha_response: 'solved', email: 'third@company.example' })).toBe(429);
    expect(tokens).toHaveLength(2);
  });
});
