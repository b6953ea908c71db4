/** Requests of the largest size that the service accepts, made to take long. The service answers one at a time. */
import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES, MAX_HEAD_BYTES } from '../../src/service/bounds.ts';
import type { KeyEntry } from '../../src/service/config/keys.ts';
import { FORM, multipart, startService } from './testing.ts';

/** Room for the rest of the body, or of the head. */
const BODY = MAX_BODY_BYTES - 300;
const HEAD = MAX_HEAD_BYTES - 500;

/** Processor time that one request may take, with a margin for slow machines. */
const LONGEST_MS = 40;
const TRIES = 15;

const KEYS: readonly KeyEntry[] = [
  ...Array.from(
    { length: 1000 },
    (_, index): KeyEntry => ({
      key: `test_public_${index}`,
      kind: 'public',
      trustedDomains: [`shop${index}.example`],
    }),
  ),
  { key: 'test_private', kind: 'private' },
];

/** Repeats a text up to a size in bytes. */
const fill = (text: string, bytes: number) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)));
/** So many different characters, one after the other in Unicode. */
const different = (first: number, count: number) =>
  String.fromCodePoint(...Array.from({ length: count }, (_, index) => first + index));

/** The least of several tries: the first ones compile code and wait for the garbage collector. */
async function processorTimeOf(request: InjectOptions): Promise<[ms: number, status: number]> {
  const service = startService({ keys: KEYS });
  await service.app.ready();
  let least = Number.POSITIVE_INFINITY;
  let status = 0;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = process.cpuUsage();
    status = (await service.ask(request)).statusCode;
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return [least, status];
}

const post = (payload: string, type: string): InjectOptions => ({
  method: 'POST',
  url: '/v1/verify?api_key=test_private',
  headers: { 'content-type': type },
  payload,
});

describe('an address does not stop the service for others', () => {
  it.each([
    ['20,900 different Chinese characters in the domain', `a@${different(0x4e00, 20_900)}`],
    ['11,000 different Korean syllables in the domain', `a@${different(0xac00, 11_000)}`],
    ['accents in the wrong order', `a@a${fill('\u0301\u0323', BODY)}`],
    ['dots only', `a@${fill('.', BODY)}`],
    ['32,000 labels', `a@${fill('a.', BODY)}com`],
    ['16,000 endings that do not exist', `a@x.com${fill('.con', BODY)}`],
    ['commas where the dot belongs', `a@gmail${fill(',', BODY)}com`],
    ['a local part of 64 KiB', `${fill('no.', BODY)}@gmail.com`],
    ['a name of 64 KiB', `${fill('a', BODY / 2)}.${fill('a', BODY / 2)}`],
    ['an IP address of 64 KiB', `a@[IPv6:${fill(':', BODY)}]`],
  ])('%s', async (_, email) => {
    const [ms, status] = await processorTimeOf(post(JSON.stringify({ email }), 'application/json'));
    expect(status).toBe(200);
    expect(ms).toBeLessThan(LONGEST_MS);
  });

  it('gets the result of an invalid address however long its domain is', async () => {
    const service = startService();
    const answer = await service.ask(
      post(JSON.stringify({ email: `a@${different(0x4e00, 254)}` }), 'application/json'),
    );
    expect(answer.json()).toMatchObject({
      state: 'undeliverable',
      reason: 'invalid_email',
      did_you_mean: null,
    });
  });
});

describe('a body does not stop the service for others', () => {
  const fields = multipart(Array.from({ length: 700 }, () => ['a', ''] as const));
  it.each([
    ['32,000 parameters without a value', post(fill('a&', BODY), FORM)],
    ['broken escapes', post(`email=${fill('%', BODY)}`, FORM)],
    ['5,000 addresses that differ', post(fill('email=a&', BODY) + fill('email=b&', 200), FORM)],
    ['32,000 nested lists', post(fill('[', BODY / 2) + fill(']', BODY / 2), 'application/json')],
    ['backslashes in a text', post(`{"email":"${fill('\\\\', BODY)}"}`, 'application/json')],
    ['a text that does not end', post(`{"email":"${fill('\\\\', BODY)}`, 'application/json')],
    ['a timeout of 64,000 digits', post(`{"timeout":${fill('9', BODY)}}`, 'application/json')],
    ['hundreds of fields', post(fields.payload, fields.type)],
    ['dashes only', post(fill('-', BODY), `multipart/form-data; boundary=${'-'.repeat(60)}`)],
  ])('%s', async (_, request) => {
    const [ms, status] = await processorTimeOf(request);
    expect(status).toBeLessThan(500);
    expect(ms).toBeLessThan(LONGEST_MS);
  });
});

describe('a header does not stop a service with a thousand keys', () => {
  const preflight = (origin: string): InjectOptions => ({
    method: 'OPTIONS',
    url: '/v1/verify',
    headers: { origin, 'access-control-request-method': 'POST' },
  });
  it.each([
    ['an origin of Chinese characters', preflight(`https://${encodeURIComponent(different(0x4e00, 1700))}`)],
    ['an origin of accented letters', preflight(`https://${fill('é', HEAD)}`)],
    ['an origin in punycode', preflight(`https://xn--${fill('a', HEAD)}`)],
    ['the longest origin that is read', preflight(`https://${encodeURIComponent(different(0x4e00, 32))}`)],
    [
      'a credential among spaces',
      { url: '/v1/verify', headers: { authorization: `Bearer ${fill(' ', HEAD)}` } },
    ],
    ['an address of 15,000 steps', { url: `/v1${fill('/a', HEAD)}` }],
    ['a query of 7,000 parameters', { url: `/v1/verify?${fill('a&', HEAD)}` }],
  ])('%s', async (_, request) => {
    const [ms, status] = await processorTimeOf(request as InjectOptions);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(ms).toBeLessThan(LONGEST_MS);
  });
});
