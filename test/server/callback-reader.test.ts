import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { type CallbackReaderOptions, createCallbackReader } from '../../src/server/callback-reader.ts';
import { webhookHeaders } from '../../src/service/core/webhook-signature.ts';
import { rounds } from '../long.mjs';
import { NOW } from './issuer.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const FORMER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const BATCH = {
  id: '5cfcbfdeede34200693c4319',
  message: 'Batch verification completed.',
  total_counts: { total: 2 },
};
const BODY = JSON.stringify(BATCH);

/** The headers that our service sends. */
const headersOf = (secrets = [SECRET], body = BODY, at = NOW) =>
  webhookHeaders(
    secrets.map((secret) => new Webhook(secret)),
    'msg_1',
    new Date(at * 1000),
    body,
  );

const read = (headers: unknown, body: unknown = BODY, options: Partial<CallbackReaderOptions> = {}) =>
  createCallbackReader({ secret: SECRET, now: () => NOW * 1000, ...options }).read({
    headers,
    body,
  } as never);

const ACCEPTED = { ok: true, content: BATCH };
const refused = (reason: string) => ({ ok: false, reason });

describe('a callback', () => {
  it.each([
    ['an object, as in Node', (headers: object) => ({ ...headers, cookie: ['a', 'b'], other: undefined })],
    [
      'an object with capitals',
      (headers: object) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    [
      'an object with lists',
      (headers: object) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    ],
    ['Headers', (headers: object) => new Headers(headers as Record<string, string>)],
  ])('is read with headers as %s', async (_, change) => {
    expect(await read(change(headersOf()))).toEqual(ACCEPTED);
  });

  it.each([
    ['bytes', Buffer.from(BODY)],
    ['a part of other bytes', new Uint8Array(Buffer.from(`x${BODY}x`)).subarray(1, -1)],
    ['an ArrayBuffer', new Uint8Array(Buffer.from(BODY)).buffer],
  ])('is read with its body as %s', async (_, body) => {
    expect(await read(headersOf(), body)).toEqual(ACCEPTED);
  });

  it('is read with text that is not ASCII', async () => {
    const body = JSON.stringify({ name: 'Zoë 😀' });
    expect(await read(headersOf([SECRET], body), body)).toEqual({ ok: true, content: { name: 'Zoë 😀' } });
  });

  it('is read while the secret is rolled: one of several is enough on each side', async () => {
    expect(await read(headersOf([FORMER, SECRET]))).toEqual(ACCEPTED);
    expect(await read(headersOf(), BODY, { secret: [FORMER, SECRET] })).toEqual(ACCEPTED);
    const signature = `v1a,abcd v2,abcd v1 ${headersOf()['webhook-signature']}`;
    expect(await read({ ...headersOf(), 'webhook-signature': signature })).toEqual(ACCEPTED);
    expect(await read(headersOf(), BODY, { secret: SECRET.replace('whsec_', '') })).toEqual(ACCEPTED);
  });

  it('is read until 300 seconds off the clock, or as many as set', async () => {
    for (const [seconds, tolerance, reason] of [
      [300, undefined, undefined],
      [301, undefined, 'expired'],
      [-300, undefined, undefined],
      [-301, undefined, 'expired'],
      [10, 9, 'expired'],
    ] as const)
      expect(await read(headersOf([SECRET], BODY, NOW + seconds), BODY, { tolerance })).toEqual(
        reason ? refused(reason) : ACCEPTED,
      );
  });
});

describe('a false callback', () => {
  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('is refused without %s', async (name) => {
    for (const value of [undefined, '', 7, {}])
      expect(await read({ ...headersOf(), [name]: value })).toEqual(refused('absent'));
  });

  it.each([undefined, null, 7, 'text', []])('is refused with %o for headers', async (headers) => {
    expect(await read(headers)).toEqual(refused('absent'));
  });

  it('is refused with another secret, body, id or time', async () => {
    expect(await read(headersOf([FORMER]))).toEqual(refused('signature'));
    expect(await read(headersOf(), `${BODY} `)).toEqual(refused('signature'));
    expect(await read({ ...headersOf(), 'webhook-id': 'msg_2' })).toEqual(refused('signature'));
    const moved = await read({ ...headersOf(), 'webhook-timestamp': String(NOW + 1) });
    expect(moved).toEqual(refused('signature'));
  });

  it.each([
    ['webhook-signature', 'v1'],
    ['webhook-signature', 'v1,'],
    ['webhook-signature', 'v1,*'],
    ['webhook-signature', 'v1a,abcd'],
  ])('is malformed with %s: %s', async (name, value) => {
    expect(await read({ ...headersOf(), [name]: value })).toEqual(refused('malformed'));
  });

  it('is malformed with a right signature under the name of another version', async () => {
    const signature = headersOf()['webhook-signature']!.replace('v1,', 'v2,');
    expect(await read({ ...headersOf(), 'webhook-signature': signature })).toEqual(refused('malformed'));
  });

  it('is expired if its signed time is not a time', async () => {
    const headers = headersOf();
    const signed = new Webhook(SECRET).sign('msg_1', new Date(Number.NaN), BODY);
    const given = { ...headers, 'webhook-timestamp': 'NaN', 'webhook-signature': signed };
    expect(await read(given)).toEqual(refused('expired'));
  });

  it.each([null, 7, BATCH, [BODY]])('is malformed with a body that was parsed: %o', async (body) => {
    expect(await read(headersOf(), body)).toEqual(refused('malformed'));
  });

  it('is malformed if the service has signed what is no JSON', async () => {
    expect(await read(headersOf([SECRET], 'text'), 'text')).toEqual(refused('malformed'));
  });

  it('costs no more with a thousand signatures', async () => {
    const wrong = headersOf([FORMER])['webhook-signature'];
    const signature = `${`${wrong} `.repeat(1_000)}${headersOf()['webhook-signature']}`;
    expect(await read({ ...headersOf(), 'webhook-signature': signature })).toEqual(refused('signature'));
  });

  it('never makes it reject, whatever it is', async () => {
    const header = fc.oneof(fc.string(), fc.constantFrom(...Object.values(headersOf())), fc.anything());
    const headers = fc.record({
      'webhook-id': header,
      'webhook-timestamp': header,
      'webhook-signature': header,
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(headers, fc.anything()), fc.anything(), async (given, body) => {
        expect(await read(given, body)).toMatchObject({ ok: false, reason: expect.any(String) });
      }),
      { numRuns: rounds(200, 3_000) },
    );
  });
});

it.each([undefined, '', 'whsec_', 'whsec_*', 'MfKQwhsec_9r8G', [SECRET, '']])(
  'takes no secret that cannot be one: %o',
  (secret) => {
    expect(() => createCallbackReader({ secret: secret as string })).toThrow(
      'Expected secret to be whsec_ and base64',
    );
    try {
      createCallbackReader({ secret: 'whsec_*secret' });
    } catch (error) {
      expect(String(error)).not.toContain('*secret');
    }
  },
);

it.each([Number.POSITIVE_INFINITY, Number.NaN, -1, '300', null])(
  'takes no tolerance that is not a number of seconds: %o',
  (tolerance) => {
    const options = { secret: SECRET, tolerance: tolerance as number };
    expect(() => createCallbackReader(options)).toThrow('Expected tolerance to be seconds');
  },
);

it('takes a tolerance of nothing', async () => {
  expect(await read(headersOf(), BODY, { tolerance: 0 })).toEqual(ACCEPTED);
});
