import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ClientOptions, createClient } from '../../src/server/client.ts';
import { rounds } from '../long.mjs';
import { stopIfEndless } from '../stop-if-endless.ts';
import { withResolvers } from '../with-resolvers.ts';
import {
  EMAIL,
  json,
  makeKey,
  NOW,
  never,
  PAGE,
  type ScriptedFetch,
  SERVICE,
  scriptedFetch,
  sign,
} from './issuer.ts';

const [key, other] = await Promise.all([makeKey(), makeKey()]);
afterEach(() => void vi.useRealTimers());

const RESULT = {
  ...{ email: EMAIL, state: 'deliverable', reason: 'accepted_email', score: 95 },
  ...{ disposable: false, role: false, free: true, accept_all: null, did_you_mean: null },
};
const JWKS = `${SERVICE}/.well-known/jwks.json`;
const API = `${SERVICE}/v1/verify`;

/** A client, and the service behind it. */
function open(options: Partial<ClientOptions> = {}) {
  const service = {
    answers: [] as (() => Response | Promise<Response>)[],
    keys: () => json({ keys: [key.publicJwk] }),
  };
  const fetch: ScriptedFetch = scriptedFetch((url, init) => {
    if (url === JWKS) return service.keys();
    const answer = service.answers.length > 1 ? service.answers.shift()! : service.answers[0];
    return answer ? answer() : never(init);
  });
  const client = createClient({
    ...{ service: SERVICE, origin: PAGE, key: 'live_private', fetch, now: () => NOW * 1000 },
    ...options,
  });
  const answer = (...answers: (Response | (() => Response | Promise<Response>))[]) => {
    service.answers = answers.map((each) => (typeof each === 'function' ? each : () => each.clone()));
  };
  answer(json(RESULT));
  const asked = (url: string) => fetch.asked.filter((each) => each.url === url).map(({ init }) => init);
  return { ...client, service, answer, asked, fetch };
}

const parametersOf = (init: RequestInit | undefined) => Object.fromEntries(init!.body as URLSearchParams);
const failed = () => Promise.reject<Response>(new TypeError('fetch failed'));

describe('verifyEmail', () => {
  it('asks the service with the private key, and not in the URL', async () => {
    const { verifyEmail, asked } = open();
    expect(await verifyEmail(` ${EMAIL} `)).toEqual({
      accepted: true,
      because: 'accepted_email',
      result: RESULT,
    });
    const [init] = asked(API);
    expect(init).toMatchObject({
      method: 'POST',
      headers: { Authorization: 'Bearer live_private' },
      // With it, the key would go to another host.
      redirect: 'manual',
    });
    expect(Object.keys(init!.headers!)).toEqual(['Authorization']);
    expect(parametersOf(init)).toEqual({ email: EMAIL, timeout: '10' });
  });

  it('sends any idempotency key as one that a header can carry, and another one for each address', async () => {
    const { verifyEmail, asked } = open();
    const sent = async (idempotencyKey: unknown, email = EMAIL) => {
      await verifyEmail(email, { idempotencyKey: idempotencyKey as string });
      const headers = new Headers(asked(API).at(-1)!.headers);
      return headers.get('Idempotency-Key');
    };
    const keys = ['order-7', 'order-8', ' ', 'one\r\ntwo', '\u540d', '\0', 'x'.repeat(10_000)];
    const all: (string | null)[] = [];
    for (const each of keys) all.push(await sent(each));
    // Otherwise a visitor whose form has the key could use it again, for a 422 that an open policy accepts.
    all.push(await sent('order-7', 'bob@shop.example'));
    for (const each of all) expect(each).toMatch(/^[\w-]{43}$/);
    expect(new Set(all).size).toBe(keys.length + 1);
    expect(await sent('order-7', ` ${EMAIL}`)).toBe(all[0]);
    // Where the address ends is the visitor's choice.
    expect(await sent('m-7', 'bob@shop.co')).not.toBe(await sent('-7', 'bob@shop.com'));
    for (const none of ['', undefined, null, 7, {}]) expect(await sent(none)).toBe(null);
  });

  it('asks again while the same request is on its way', async () => {
    const { verifyEmail, answer, asked } = open();
    const result = { ...RESULT, state: 'undeliverable', reason: 'rejected_email' };
    answer(json({ message: 'in use' }, 409), json(result));
    expect(await verifyEmail(EMAIL, { idempotencyKey: 'order-7' })).toMatchObject({ accepted: false });
    expect(asked(API)).toHaveLength(2);
  });

  it.each([
    [900, '2'],
    [2_999, '2'],
    [7_500, '7'],
    [60_000, '10'],
  ])('with a timeout of %i ms, lets the service take %s seconds', async (timeout, seconds) => {
    const { verifyEmail, asked } = open({ timeout });
    await verifyEmail(EMAIL);
    expect(parametersOf(asked(API)[0])).toMatchObject({ timeout: seconds });
  });

  it.each([
    [{}, { state: 'undeliverable', reason: 'rejected_email' }, false],
    [{}, { state: 'unknown', reason: 'timeout' }, true],
    [{}, { disposable: true }, false],
    [{}, { role: true, free: true }, true],
    [{ free: false }, { free: true }, false],
    [{ free: 'warn' }, { free: true }, true],
    [{ free: undefined, disposable: undefined }, { disposable: true }, false],
    [{ disposable: true }, { disposable: true }, true],
    [{ states: ['deliverable'] }, { state: 'risky', reason: 'low_quality' }, false],
    [{ states: ['undeliverable'] }, { state: 'undeliverable', reason: 'rejected_email' }, true],
  ] as const)('with accept %j, decides about %j', async (accept, changes, accepted) => {
    const { verifyEmail, answer } = open({ accept } as Partial<ClientOptions>);
    const result = { ...RESULT, ...changes };
    answer(json(result));
    expect(await verifyEmail(EMAIL)).toEqual({ accepted, because: result.reason, result });
  });

  it('says the state of a service that gives no reason', async () => {
    const { verifyEmail, answer } = open();
    answer(json({ state: 'risky' }));
    expect(await verifyEmail(EMAIL)).toEqual({
      accepted: true,
      because: 'risky',
      result: { state: 'risky' },
    });
  });

  it.each([
    ['unreachable', failed],
    ['malformed', () => new Response('<!doctype html><title>Log in</title>')],
    ['malformed', () => json({ state: 'fine' })],
    ['malformed', () => json({ ...RESULT, more: 'x'.repeat(10_000) })],
    ['status-302', () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } })],
    ['status-402', () => json({ message: 'no credits' }, 402)],
    ['status-403', () => json({ message: 'unknown key' }, 403)],
    ['status-429', () => json({ message: 'too many' }, 429)],
    ['status-503', () => new Response('', { status: 503 })],
  ])('without an answer, because of %s, the policy decides', async (because, respond) => {
    for (const [policy, accepted] of [
      [undefined, true],
      ['open', true],
      ['closed', false],
    ] as const) {
      const { verifyEmail, answer, asked } = open({ policy });
      answer(respond);
      expect(await verifyEmail(EMAIL)).toEqual({ accepted, because });
      expect(asked(API)).toHaveLength(1);
    }
  });

  it('asks again after a 249, longer apart each time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { verifyEmail, answer, asked } = open();
    answer(json({ message: 'again' }, 249), json({}, 249), json(RESULT));
    const decision = verifyEmail(EMAIL);
    await vi.advanceTimersByTimeAsync(249);
    expect(asked(API)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked(API)).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(500);
    expect(await decision).toMatchObject({ accepted: true, because: 'accepted_email' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('asks until the time is up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (const [timeout, requests] of [
      [10_000, 8],
      [800, 3],
    ] as const) {
      const { verifyEmail, answer, asked } = open({ timeout, policy: 'closed' });
      answer(json({}, 249));
      const decision = verifyEmail(EMAIL);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await decision).toEqual({ accepted: false, because: 'timeout' });
      expect(asked(API)).toHaveLength(requests);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('ends at the timeout without a response, and aborts the request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { verifyEmail, service, asked } = open({ timeout: 3_000 });
    service.answers = [];
    const decision = verifyEmail(EMAIL);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await decision).toEqual({ accepted: true, because: 'timeout' });
    expect(asked(API)[0]!.signal?.aborted).toBe(true);
  });

  it('rejects for the signal of its caller, before, during a request and during a pause', async () => {
    const { verifyEmail, service, answer, asked } = open();
    await expect(verifyEmail(EMAIL, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(asked(API)).toHaveLength(0);
    service.answers = [];
    for (const prepare of [() => {}, () => answer(json({}, 249))]) {
      prepare();
      const before = asked(API).length;
      const controller = new AbortController();
      const decision = verifyEmail(EMAIL, { signal: controller.signal });
      await vi.waitUntil(() => asked(API).length > before);
      controller.abort();
      await expect(decision).rejects.toMatchObject({ name: 'AbortError' });
      expect(asked(API).at(-1)!.signal?.aborted).toBe(true);
    }
  });

  it('accepts no text that is missing, is none or is too long, although the policy is open', async () => {
    const { verifyEmail, asked } = open();
    const long = `${'a'.repeat(255 - '@shop.example'.length)}@shop.example`;
    for (const address of [
      undefined,
      null,
      '',
      ' ',
      7,
      [EMAIL],
      { email: EMAIL },
      long,
      '@'.repeat(10_000_000),
    ])
      expect(await stopIfEndless(() => verifyEmail(address))).toEqual({
        accepted: false,
        because: 'invalid_email',
      });
    expect(asked(API)).toHaveLength(0);
    expect(await verifyEmail(long.slice(1))).toMatchObject({ accepted: true });
  });
});

describe('checkSubmission', () => {
  it('needs no request but for the keys with a proof, and decides by its result', async () => {
    const { checkSubmission, fetch } = open({ accept: { free: false } });
    const decision = await checkSubmission({ email: EMAIL, proof: await sign(key, { free: false }) });
    expect(decision).toMatchObject({
      accepted: true,
      because: 'accepted_email',
      result: { email: EMAIL, score: 95 },
    });
    const changes = { state: 'undeliverable', reason: 'rejected_email', score: 0, free: false };
    expect(await checkSubmission({ email: EMAIL, proof: await sign(key, changes) })).toMatchObject({
      ...{ accepted: false, because: 'rejected_email' },
    });
    expect(await checkSubmission({ email: EMAIL, proof: await sign(key) })).toMatchObject({
      accepted: false,
    });
    expect(fetch.asked.map(({ url }) => url)).toEqual([JWKS]);
  });

  it('asks the service without a proof, and after those that an honest visitor can have', async () => {
    const proofs = [
      undefined,
      '',
      await sign(key, { iat: NOW - 700, exp: NOW - 100 }),
      // Its key is not known.
      await sign(other),
    ];
    for (const proof of proofs) {
      const { checkSubmission, asked } = open();
      expect(await checkSubmission({ email: EMAIL, proof })).toEqual({
        ...{ accepted: true, because: 'accepted_email', result: RESULT },
      });
      expect(asked(API)).toHaveLength(1);
    }
    const { checkSubmission, service, asked } = open();
    service.keys = () => json({}, 503);
    expect(await checkSubmission({ email: EMAIL, proof: await sign(key) })).toMatchObject({ accepted: true });
    expect(asked(API)).toHaveLength(1);
  });

  it('rejects every other proof, whatever the policy is, and asks nobody', async () => {
    const wrong: Record<string, unknown> = {
      malformed: 'proof',
      signature: await sign({ ...other, kid: key.kid }),
      issuer: await sign(key, { iss: 'https://verify.example.test' }),
      audience: await sign(key, { aud: 'https://evil.example' }),
      'test-key': await sign(key, { test: true }),
      'other-address': await sign(key, { email: 'bob@shop.example' }),
      replayed: await sign(key, { jti: 'used' }),
    };
    for (const policy of ['open', 'closed'] as const)
      for (const [because, proof] of Object.entries(wrong)) {
        const { checkSubmission, asked } = open({ policy, seen: (jti) => jti === 'used' });
        expect(await checkSubmission({ email: EMAIL, proof })).toEqual({ accepted: false, because });
        expect(asked(API)).toHaveLength(0);
      }
  });

  it('accepts the proofs of a test key where it may', async () => {
    const { checkSubmission } = open({ acceptTest: true });
    expect(await checkSubmission({ email: EMAIL, proof: await sign(key, { test: true }) })).toMatchObject({
      ...{ accepted: true, result: { test: true } },
    });
  });

  it('asks the service if the store of proofs fails', async () => {
    const seen = async () => {
      throw new Error('no store');
    };
    const { checkSubmission, asked } = open({ seen });
    expect(await checkSubmission({ email: EMAIL, proof: await sign(key) })).toMatchObject({ result: RESULT });
    expect(asked(API)).toHaveLength(1);
  });

  it('asks the service if the store of proofs has not answered when the time is up', async () => {
    const { promise: isAsked, resolve: tell } = withResolvers();
    const seen = () => {
      tell();
      return new Promise<boolean>(() => {});
    };
    const { checkSubmission, asked } = open({ seen, timeout: 3_000 });
    const proof = await sign(key);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const decision = checkSubmission({ email: EMAIL, proof });
    await isAsked;
    await vi.advanceTimersByTimeAsync(2_999);
    expect(asked(API)).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(await decision).toMatchObject({ result: RESULT });
    expect(asked(API)).toHaveLength(1);
  });

  it('rejects for the signal of its caller, also while the keys are fetched', async () => {
    const { checkSubmission, service, fetch } = open();
    service.keys = () => new Promise<Response>(() => {}) as never;
    const controller = new AbortController();
    const proof = await sign(key);
    // Only the signal can end it.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const decision = checkSubmission({ email: EMAIL, proof }, { signal: controller.signal });
    const rejected = vi.fn();
    decision.catch(rejected);
    await vi.advanceTimersByTimeAsync(0);
    expect(fetch.asked).toHaveLength(1);
    controller.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(rejected).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ name: 'AbortError' }));
  });

  it('never rejects for what a visitor can send, and accepts no form without an address', async () => {
    for (const submission of [undefined, null, {}, [], 'email', 7, { proof: await sign(key) }]) {
      const decision = await open().checkSubmission(submission as never);
      expect(decision).toMatchObject({ accepted: false });
    }
    const { checkSubmission } = open();
    const part = fc.oneof(fc.anything(), fc.string(), fc.constant(EMAIL));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.anything(), fc.record({ email: part, proof: part })),
        async (submission) => {
          expect(await checkSubmission(submission as never)).toMatchObject({
            ...{ accepted: expect.any(Boolean), because: expect.any(String) },
          });
        },
      ),
      { numRuns: rounds(300, 5_000) },
    );
  });
});

describe('an option that cannot be', () => {
  it.each([
    ['service', 'verify.example'],
    // Without it, a proof of any page would do.
    ['origin', undefined],
    ['key', undefined],
    ['key', ''],
    // No header can carry them, so that no request would ever leave.
    ['key', 'live_private\nlive_second'],
    ['key', 'live_privat\u2026'],
    ['timeout', 0],
    ['timeout', Number.NaN],
    // The timers of all platforms end at once.
    ['timeout', 2 ** 31],
    ['timeout', Number.POSITIVE_INFINITY],
    // Otherwise, whoever writes `Open` would refuse everybody while the service is away.
    ['policy', 'Open'],
    ['policy', null],
    ['accept.states', null],
    ['accept.states', 'deliverable'],
    ['accept.states', ['Deliverable']],
    ['accept.disposable', null],
    ['accept.disposable', 'false'],
    ['accept.disposible', false],
  ])('is an exception at once: %s %o', (name, value) => {
    const [first, second] = name.split('.') as [string, string?];
    const options = { [first]: second ? { [second]: value } : value };
    expect(() => open(options)).toThrow(`Expected ${name} to be`);
  });

  it('is not in the message if it is secret', () => {
    expect(() => open({ key: 'live\nprivate' })).toThrow(/got string\.$/);
  });

  it('is none without a value, and may be the longest time of a timer', () => {
    const nothing = { accept: { states: undefined, free: undefined }, policy: undefined, maxAge: undefined };
    expect(() => open({ ...nothing, timeout: 2 ** 31 - 1, key: 'live_private\n' })).not.toThrow();
  });
});
