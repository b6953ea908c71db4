import fc from 'fast-check';
import { importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createProofVerifier,
  type ProofVerdict,
  type ProofVerifierOptions,
} from '../../src/server/proof-verifier.ts';
import { rounds } from '../long.mjs';
import { stopIfEndless } from '../stop-if-endless.ts';
import { withResolvers } from '../with-resolvers.ts';
import {
  claimsOf,
  EMAIL,
  headerOf,
  json,
  makeKey,
  NOW,
  never,
  PAGE,
  type ScriptedFetch,
  SERVICE,
  scriptedFetch,
  sign,
  signTexts,
} from './issuer.ts';

const [key, other] = await Promise.all([makeKey(), makeKey()]);
afterEach(() => void vi.useRealTimers());

/** A verifier of the page's server, its service, and its clock. */
function open(options: Partial<ProofVerifierOptions> = {}) {
  const clock = { seconds: NOW };
  const fetch: ScriptedFetch = scriptedFetch(() => json({ keys: [key.publicJwk] }));
  const verifyProof = createProofVerifier({
    ...{ service: SERVICE, origin: PAGE, fetch, now: () => clock.seconds * 1000 },
    ...options,
  });
  return { verifyProof, fetch, clock };
}

const refused = (reason: string): ProofVerdict => ({ ok: false, reason }) as ProofVerdict;
const verify = async (token: unknown, options: Partial<ProofVerifierOptions> = {}, email: unknown = EMAIL) =>
  open(options).verifyProof(token, email);

const expectMalformed = async (token: unknown) => expect(await verify(token)).toEqual(refused('malformed'));
/** Signs texts that no library would write. */
const withClaims = (text: string) => signTexts(key, headerOf(key), text);
const withHeader = (changes: object, by = key) =>
  signTexts(by, headerOf(key, changes), JSON.stringify(claimsOf()));

describe('a true proof', () => {
  it('is accepted, with its result', async () => {
    const { verifyProof, fetch } = open();
    const { iss, aud, iat, exp, jti, ...result } = claimsOf();
    expect(await verifyProof(await sign(key), EMAIL)).toEqual({ ok: true, result });
    expect(fetch.asked.map(({ url }) => url)).toEqual([`${SERVICE}/.well-known/jwks.json`]);
  });

  it('is accepted whatever its result is, and with what a newer service adds', async () => {
    const changes = { state: 'undeliverable', reason: 'rejected_email', score: 0, accept_all: true };
    const token = await sign(key, { ...changes, did_you_mean: 'a@b.example', novel: { email: [1] } });
    expect(await verify(token)).toMatchObject({
      ok: true,
      result: { ...changes, did_you_mean: 'a@b.example' },
    });
    expect(await verify(token)).toHaveProperty('result.novel');
  });

  it.each([
    ['spaces around it', ` ${EMAIL}\n`],
    ['its domain in capitals', 'anna@SHOP.Example'],
  ])('is accepted for the address with %s', async (_, email) => {
    expect(await verify(await sign(key), {}, email)).toMatchObject({ ok: true });
  });

  it('is accepted for each of several origins, and with a service that is written with a slash', async () => {
    const origin = ['https://www.shop.example', PAGE];
    expect(await verify(await sign(key), { origin, service: `${SERVICE}/` })).toMatchObject({ ok: true });
  });

  it.each([
    ['https://VERIFY.example:443', SERVICE],
    [SERVICE, 'https://VERIFY.example:443/'],
    ['https://verify.example/a/../', SERVICE],
  ])('is accepted from the service %s, which says that it is %s', async (service, iss) => {
    expect(await verify(await sign(key, { iss }), { service })).toMatchObject({ ok: true });
  });

  it('is accepted from a service below a path', async () => {
    const service = 'https://shop.example/verify';
    const { verifyProof, fetch } = open({ service });
    expect(await verifyProof(await sign(key, { iss: service }), EMAIL)).toMatchObject({ ok: true });
    expect(fetch.asked[0]!.url).toBe('https://shop.example/verify/.well-known/jwks.json');
  });

  it('says that a test key has caused it, where that is accepted', async () => {
    const token = await sign(key, { test: true });
    expect(await verify(token)).toEqual(refused('test-key'));
    expect(await verify(token, { acceptTest: true })).toMatchObject({ ok: true, result: { test: true } });
    // As a variable of the environment would say it.
    expect(await verify(token, { acceptTest: 'false' as never })).toEqual(refused('test-key'));
  });
});

describe('the time', () => {
  it.each([
    [0, NOW - 600, 'expired'],
    [0, NOW - 599, undefined],
    [0, NOW + 60, undefined],
    [0, NOW + 61, 'expired'],
  ])('%#: of a proof decides', async (_, iat, reason) => {
    const verdict = await verify(await sign(key, { iat, exp: iat + 600 }));
    expect(verdict).toMatchObject(reason ? refused(reason) : { ok: true });
  });

  it('ends at `maxAge` where that is sooner', async () => {
    const token = await sign(key, { iat: NOW - 120 });
    expect(await verify(token, { maxAge: 120 })).toMatchObject({ ok: true });
    expect(await verify(token, { maxAge: 119 })).toEqual(refused('expired'));
  });

  it('has no end that is not a number', async () => {
    const text = JSON.stringify(claimsOf()).replace(/"exp":\d+/, '"exp":1e999');
    await expectMalformed(await withClaims(text));
  });
});

describe('a false proof', () => {
  it.each([undefined, null, ''])('is absent: %o', async (token) => {
    expect(await verify(token)).toEqual(refused('absent'));
  });

  it.each([
    ['issuer', { iss: 'https://verify.example.test' }],
    ['issuer', { iss: 'http://verify.example' }],
    ['audience', { aud: 'https://evil.example' }],
    ['audience', { aud: 'https://shop.example.test' }],
    ['audience', { aud: 'https://shop.example/' }],
    ['audience', { aud: 'null' }],
    ['other-address', { email: 'bob@shop.example' }],
    ['other-address', { email: 'Anna@shop.example' }],
    ['other-address', { email: 'anna@shop.example.test' }],
    ['test-key', { test: true }],
    ['test-key', { test: false }],
  ])('is refused for %s: %j', async (reason, changes) => {
    expect(await verify(await sign(key, changes))).toEqual(refused(reason));
  });

  it('is refused by the first check that fails, in the order of the reasons', async () => {
    const wrong = {
      iss: 'https://a.example',
      aud: 'https://b.example',
      iat: 0,
      exp: 1,
      test: true,
      email: 'c@d.example',
    };
    const right: Record<string, unknown> = {};
    const reasons: unknown[] = [];
    for (const [name, ...more] of [['iss'], ['aud'], ['iat', 'exp'], ['test'], ['email'], []]) {
      const changes = Object.fromEntries(Object.entries(wrong).filter(([each]) => !(each in right)));
      const verdict = await verify(await sign(key, changes), { seen: () => true });
      reasons.push('reason' in verdict && verdict.reason);
      for (const each of [name, ...more]) if (each) right[each] = true;
    }
    expect(reasons).toEqual(['issuer', 'audience', 'expired', 'test-key', 'other-address', 'replayed']);
  });

  it.each([undefined, null, 7, ['anna@shop.example'], { toString: () => EMAIL }, ''])(
    'is refused for an address that is no text: %o',
    async (email) => {
      expect(await open().verifyProof(await sign(key), email)).toEqual(refused('other-address'));
    },
  );

  it.each(Object.keys(claimsOf()))(
    'is malformed without the claim %s, or with one of another type',
    async (name) => {
      // Only these two can be null in a result.
      const none = /^(accept_all|did_you_mean)$/.test(name) ? [] : [null];
      for (const value of [undefined, {}, [EMAIL], ...none]) {
        await expectMalformed(await withClaims(JSON.stringify(claimsOf({ [name]: value }))));
      }
    },
  );

  it('is malformed with a state that is not one of the four', async () => {
    for (const state of ['', 'Deliverable', 'constructor']) await expectMalformed(await sign(key, { state }));
  });
});

describe('a proof that someone else has made', () => {
  it('is unknown with a key of theirs under its own name', async () => {
    expect(await verify(await sign(other))).toEqual(refused('unknown-key'));
  });

  it('is refused with a key of theirs under our name', async () => {
    expect(await verify(await sign({ ...other, kid: key.kid }))).toEqual(refused('signature'));
  });

  it('is refused without a signature, also if its algorithm is "none"', async () => {
    await expectMalformed(new UnsecuredJWT(claimsOf()).encode());
    for (const alg of ['none', 'None', '']) {
      const [head, body] = (await withHeader({ alg })).split('.');
      await expectMalformed(`${head}.${body}.`);
    }
  });

  it('is refused with an HMAC of the public key', async () => {
    const secrets = [JSON.stringify(key.publicJwk), key.publicJwk.x!, `${key.publicJwk.x}${key.publicJwk.y}`];
    for (const secret of secrets) {
      const token = await new SignJWT(claimsOf())
        .setProtectedHeader({ alg: 'HS256', kid: key.kid, typ: 'email-verify-proof+jwt' })
        .sign(Buffer.from(secret));
      await expectMalformed(token);
    }
  });

  it.each(['ES384', 'ES512', 'RS256', 'PS256', 'EdDSA', 'es256', ['ES256'], null, 7])(
    'is refused with the algorithm %o, although the signature is right',
    async (alg) => expectMalformed(await withHeader({ alg })),
  );

  it.each(['JWT', 'email-verify-proof', 'application/email-verify-proof+jwt', undefined, 7])(
    'is refused with the type %o: a token for another purpose',
    async (typ) => expectMalformed(await withHeader({ typ })),
  );

  it.each([undefined, null, 7, ''])(
    'is refused if it names no key, but %o, even if a key has that for a name',
    async (kid) => {
      const { verifyProof, fetch } = open();
      fetch.respond = () => json({ keys: [{ ...key.publicJwk, kid }] });
      expect(await verifyProof(await withHeader({ kid }), EMAIL)).toEqual(refused('malformed'));
    },
  );

  it('is refused with extensions that must be understood', async () => {
    for (const crit of [['b64'], [], null]) await expectMalformed(await withHeader({ crit, b64: false }));
  });

  it('cannot name its own keys: the service alone is asked', async () => {
    const { verifyProof, fetch } = open();
    const named = {
      jku: 'https://evil.example/jwks.json',
      x5u: 'https://evil.example/x5',
      jwk: other.publicJwk,
    };
    const forged = await sign({ ...other, kid: key.kid }, {}, named);
    expect(await verifyProof(forged, EMAIL)).toEqual(refused('signature'));
    expect(await verifyProof(await sign(other, {}, named), EMAIL)).toEqual(refused('unknown-key'));
    expect(new Set(fetch.asked.map(({ url }) => url))).toEqual(new Set([`${SERVICE}/.well-known/jwks.json`]));
  });

  it('is refused with any byte of it changed', async () => {
    const { verifyProof } = open();
    const token = await sign(key);
    for (let index = 0; index < token.length; index += rounds(7, 1)) {
      const changed = token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
      expect(await verifyProof(changed, EMAIL), `changed at ${index}`).toMatchObject({ ok: false });
    }
  });
});

describe('a text that is not exact', () => {
  it('is malformed in a second spelling of the same bytes', async () => {
    const token = await sign(key);
    const [head = '', body = '', tail = ''] = token.split('.');
    // 64 bytes leave four bits of the last character over. All but one spelling has some of them set.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const next = alphabet[alphabet.indexOf(tail.at(-1)!) + 1]!;
    const same = (text: string) => Buffer.from(text, 'base64url').equals(Buffer.from(tail, 'base64url'));
    expect(same(tail.slice(0, -1) + next)).toBe(true);
    const spellings = [
      `${head}.${body}.${tail.slice(0, -1)}${next}`,
      `${head}.${body}.${tail}==`,
      `${head}.${body}.${tail}\n`,
      `${head}.${body}.${tail.slice(0, 40)} ${tail.slice(40)}`,
      ` ${token}`,
      `${head}=.${body}.${tail}`,
      `${token}.`,
      `${token}.${tail}`,
      token.replaceAll('.', '..'),
    ];
    for (const text of spellings) expect(await verify(text), text.slice(-8)).toEqual(refused('malformed'));
    // Its alphabet is not that of plain base64.
    const plain = Buffer.from(tail, 'base64url').toString('base64').replaceAll('=', '');
    if (plain !== tail) await expectMalformed(`${head}.${body}.${plain}`);
  });

  it.each([
    ['the address twice', (text: string) => text.replace('{', '{"email":"bob@shop.example",')],
    [
      'the address twice, once escaped',
      (text: string) => text.replace('{', String.raw`{"em\u0061il":"bob@shop.example",`),
    ],
    ['a name twice within a claim', (text: string) => text.replace('{', '{"more":{"a":1,"a":2},')],
    ['a byte order mark', (text: string) => `\ufeff${text}`],
    ['more after it', (text: string) => `${text}{}`],
    ['an array around it', (text: string) => `[${text}]`],
    ['a text around it', (text: string) => JSON.stringify(text)],
    ['nothing', () => ''],
    ['null', () => 'null'],
  ])('is malformed with %s in its claims', async (_, change) => {
    await expectMalformed(await withClaims(change(JSON.stringify(claimsOf()))));
  });

  it('is malformed with the algorithm twice in its header', async () => {
    const header = headerOf(key).replace('{', '{"alg":"none",');
    await expectMalformed(await signTexts(key, header, JSON.stringify(claimsOf())));
  });

  it('is malformed with bytes that are no text', async () => {
    const text = Buffer.from(JSON.stringify(claimsOf()).replace('anna', 'ann@'));
    text[text.indexOf('ann@') + 3] = 0xff;
    const content = `${Buffer.from(headerOf(key)).toString('base64url')}.${text.toString('base64url')}`;
    await expectMalformed(`${content}.${'A'.repeat(86)}`);
  });

  it('may have white space, quotes and colons within its claims', async () => {
    const email = String.raw`"a\":\"b"@shop.example`;
    const text = JSON.stringify(claimsOf({ email, more: { 'a":"b': ['"c":', { d: '\\' }] } }), null, 2);
    expect(await verify(await withClaims(text), {}, email)).toMatchObject({ ok: true });
  });

  it('costs nothing if it is huge', async () => {
    const { verifyProof, fetch } = open();
    const verdicts = stopIfEndless(() =>
      ['.', 'A', 'A.', '~', '"'].map((text) => verifyProof(text.repeat(10_000_000), EMAIL)),
    );
    for (const verdict of await Promise.all(verdicts)) expect(verdict).toEqual(refused('malformed'));
    // With this header, one of 4,096 characters can be made.
    const signLong = (length: number) => sign(key, { more: 'x'.repeat(length) }, { more: 'x' });
    const { length: least } = await signLong(0);
    // Three bytes take four characters.
    const most = Math.floor(((4_096 - least) * 3) / 4);
    const [longest, longer] = [await signLong(most), await signLong(most + 3)];
    expect([longest.length, longer.length]).toEqual([4_096, 4_100]);
    expect(await verifyProof(longer, EMAIL)).toEqual(refused('malformed'));
    expect(fetch.asked).toEqual([]);
    expect(await verifyProof(longest, EMAIL)).toMatchObject({ ok: true });
  });

  it('never makes it reject, whatever it is', async () => {
    const { verifyProof } = open();
    const token = await sign(key);
    const parts = token.split('.');
    const nearly = fc
      .tuple(fc.nat(2), fc.oneof(fc.string(), fc.base64String(), fc.json()))
      .map(([index, text]) =>
        Object.assign([...parts], { [index]: Buffer.from(text).toString('base64url') }).join('.'),
      );
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.anything(), fc.string(), nearly), fc.anything(), async (given, email) => {
        expect(await verifyProof(given, email)).toMatchObject({ ok: false, reason: expect.any(String) });
      }),
      { numRuns: rounds(300, 5_000) },
    );
  });
});

describe('a proof that is used twice', () => {
  it('is refused by a store of your own, which is asked last', async () => {
    const known = new Map<string, number>();
    const seen = (jti: string, exp: number) => {
      const was = known.has(jti);
      known.set(jti, exp);
      return was;
    };
    const { verifyProof } = open({ seen });
    const token = await sign(key);
    expect(await verifyProof(token, 'bob@shop.example')).toEqual(refused('other-address'));
    expect(known).toEqual(new Map());
    expect(await verifyProof(token, EMAIL)).toMatchObject({ ok: true });
    expect(await verifyProof(token, EMAIL)).toEqual(refused('replayed'));
    expect([...known]).toEqual([[claimsOf().jti, claimsOf().exp]]);
  });

  it('is refused by a store that takes its time, and throws what the store throws', async () => {
    expect(await verify(await sign(key), { seen: async () => true })).toEqual(refused('replayed'));
    const failing = async () => {
      throw new Error('no store');
    };
    await expect(verify(await sign(key), { seen: failing })).rejects.toThrow('no store');
  });
});

describe('the keys of the service', () => {
  it('are fetched once for many proofs, also at once', async () => {
    const { verifyProof, fetch, clock } = open();
    const token = await sign(key);
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => verifyProof(token, EMAIL)));
    expect(verdicts.every(({ ok }) => ok)).toBe(true);
    clock.seconds += 500;
    expect(await verifyProof(token, EMAIL)).toMatchObject({ ok: true });
    expect(fetch.asked).toHaveLength(1);
  });

  it('are fetched once a minute in a flood of unknown names', async () => {
    const { verifyProof, fetch, clock } = open();
    for (let second = 0; second < 180; second += 1) {
      const kids = [0, 1, 2].map((each) => `${second}-${each}`);
      const tokens = await Promise.all(kids.map((kid) => withHeader({ kid }, other)));
      for (const verdict of await Promise.all(tokens.map((token) => verifyProof(token, EMAIL))))
        expect(verdict).toEqual(refused('unknown-key'));
      clock.seconds += 1;
    }
    expect(fetch.asked).toHaveLength(3);
  });

  it('take a new one when a proof has it', async () => {
    const { verifyProof, fetch, clock } = open();
    await verifyProof(await sign(key), EMAIL);
    fetch.respond = () => json({ keys: [key.publicJwk, other.publicJwk] });
    clock.seconds += 60;
    expect(await verifyProof(await sign(other), EMAIL)).toMatchObject({ ok: true });
    expect(await verifyProof(await sign(key), EMAIL)).toMatchObject({ ok: true });
    expect(fetch.asked).toHaveLength(2);
  });

  it('are fetched again after an hour, and one that is gone is forgotten', async () => {
    const { verifyProof, fetch, clock } = open();
    const late = await sign(key, { iat: NOW + 3_600, exp: NOW + 4_200 });
    await verifyProof(await sign(key), EMAIL);
    fetch.respond = () => json({ keys: [other.publicJwk] });
    clock.seconds += 3_599;
    expect(await verifyProof(late, EMAIL)).toMatchObject({ ok: true });
    clock.seconds += 1;
    expect(await verifyProof(late, EMAIL)).toEqual(refused('unknown-key'));
    expect(fetch.asked).toHaveLength(2);
  });

  it('are fetched again when the clock was set back', async () => {
    const { verifyProof, fetch, clock } = open();
    await verifyProof(await sign(key), EMAIL);
    clock.seconds -= 10 * 365 * 86_400;
    expect(await verifyProof(await sign(key), EMAIL)).toEqual(refused('expired'));
    expect(fetch.asked).toHaveLength(2);
  });

  it('are asked for again 5 seconds after a failure, and are unavailable meanwhile', async () => {
    const { verifyProof, fetch, clock } = open();
    fetch.respond = () => json({}, 503);
    const token = await sign(key);
    for (let second = 0; second < 5; second += 1) {
      expect(await verifyProof(token, EMAIL)).toEqual(refused('keys-unavailable'));
      clock.seconds += 1;
    }
    expect(fetch.asked).toHaveLength(1);
    fetch.respond = () => json({ keys: [key.publicJwk] });
    expect(await verifyProof(token, EMAIL)).toMatchObject({ ok: true });
    // The failure is over.
    expect(await verifyProof(await sign(other), EMAIL)).toEqual(refused('unknown-key'));
  });

  it('go on for a day while the service cannot be reached, and no longer', async () => {
    const { verifyProof, fetch, clock } = open();
    await verifyProof(await sign(key), EMAIL);
    fetch.respond = () => Promise.reject(new TypeError('fetch failed'));
    const at = async (seconds: number) => {
      clock.seconds = NOW + seconds;
      return verifyProof(await sign(key, { iat: clock.seconds, exp: clock.seconds + 600 }), EMAIL);
    };
    expect(await at(86_399)).toMatchObject({ ok: true });
    expect(await verifyProof(await sign(other), EMAIL)).toEqual(refused('keys-unavailable'));
    expect(await at(86_400)).toEqual(refused('keys-unavailable'));
  });

  it('are unavailable after 5 seconds without a response, and the request is aborted', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { verifyProof, fetch } = open();
    fetch.respond = (_, init) => never(init);
    const verdict = verifyProof(await sign(key), EMAIL);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(fetch.asked[0]!.init.signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await verdict).toEqual(refused('keys-unavailable'));
    expect(fetch.asked[0]!.init.signal?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are unavailable after 5 seconds of a body that does not end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { verifyProof, fetch } = open();
    fetch.respond = () =>
      new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array([123])) }));
    const verdict = verifyProof(await sign(key), EMAIL);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await verdict).toEqual(refused('keys-unavailable'));
  });

  it('are fetched again if the request that fetched them has ended with its fetch, as at the edge', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { verifyProof, fetch, clock } = open();
    const token = await sign(key);
    fetch.respond = () => new Promise(() => {});
    // The timers of that request end with it.
    void verifyProof(token, EMAIL);
    vi.clearAllTimers();
    const waiting = verifyProof(token, EMAIL);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await waiting).toEqual(refused('keys-unavailable'));
    fetch.respond = () => json({ keys: [key.publicJwk] });
    clock.seconds += 5;
    expect(await verifyProof(token, EMAIL)).toMatchObject({ ok: true });
  });

  it.each([
    ['a redirect', () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } })],
    ['an error that has keys', () => json({ keys: [key.publicJwk] }, 500)],
    ['no JSON', () => new Response('<!doctype html>')],
    ['no list', () => json({ keys: 'none' })],
    ['a list alone', () => json([key.publicJwk])],
    ['null', () => json(null)],
    ['a body without an end', () => new Response(endless())],
    ['a body of more than 100 kB', () => json({ keys: [key.publicJwk], more: 'x'.repeat(100_000) })],
  ])('are unavailable with %s', async (_, respond) => {
    const { verifyProof, fetch } = open();
    fetch.respond = respond;
    expect(await verifyProof(await sign(key), EMAIL)).toEqual(refused('keys-unavailable'));
    expect(fetch.asked[0]!.init.redirect).toBe('manual');
  });

  it.each([
    ['for encryption', () => ({ use: 'enc' })],
    ['for another algorithm', () => ({ alg: 'ES384' })],
    ['of another curve', () => ({ crv: 'P-384' })],
    ['of another type', () => ({ kty: 'RSA' })],
    ['that is not on the curve', () => ({ x: other.publicJwk.x })],
    ['without a name', () => ({ kid: undefined })],
    ['with a name that is no text', () => ({ kid: 7 })],
  ])('leave out a key %s, and keep the others', async (_, changes) => {
    const { verifyProof, fetch } = open();
    const broken = { ...key.publicJwk, ...changes() };
    fetch.respond = () => json({ keys: [null, 'text', [], broken, other.publicJwk] });
    expect(await verifyProof(await sign(other), EMAIL)).toMatchObject({ ok: true });
    expect(await verifyProof(await sign(key), EMAIL)).toEqual(refused('unknown-key'));
  });

  it('are used for their public part alone, even if the service shows a private one', async () => {
    const { verifyProof, fetch } = open();
    fetch.respond = () => json({ keys: [{ ...key.publicJwk, ...key.privateJwk, key_ops: ['sign'] }] });
    expect(await verifyProof(await sign(key), EMAIL)).toMatchObject({ ok: true });
    // The key of the test can sign, so that this shows something.
    expect(await importJWK({ ...key.privateJwk, alg: 'ES256' })).toMatchObject({ type: 'private' });
  });

  it('are fetched by the platform’s own fetch at that moment, if none is given', async () => {
    const held = withResolvers<string>();
    vi.stubGlobal('fetch', async (url: string) => {
      held.resolve(url);
      return json({ keys: [key.publicJwk] });
    });
    expect(await verify(await sign(key), { fetch: undefined })).toMatchObject({ ok: true });
    expect(await held.promise).toBe(`${SERVICE}/.well-known/jwks.json`);
  });
});

/** Ones, and no end. */
const endless = () => new ReadableStream({ pull: (body) => body.enqueue(new Uint8Array(10_000).fill(49)) });

describe('an option that cannot be', () => {
  it.each([
    ['service', undefined],
    ['service', ''],
    ['service', 'verify.example'],
    ['service', 'ftp://verify.example'],
    ['service', 'https://'],
    // Each is a URL, but not one that a path can follow, or that fetch takes.
    ['service', 'https://verify.example/?key=7'],
    ['service', 'https://verify.example/#keys'],
    ['service', 'https://anna:secret@verify.example'],
    ['origin', undefined],
    ['origin', 'shop.example'],
    ['origin', 'https://shop.example/'],
    ['origin', ['https://shop.example', 'https://SHOP.example']],
    ['origin', 'null'],
    // What text makes of a variable that is not set.
    ['origin', 'undefined'],
    ['origin', []],
    ['maxAge', 'abc'],
    ['maxAge', Number.NaN],
    ['maxAge', -1],
  ])('is an exception at once: %s %o', (name, value) => {
    const options = { service: SERVICE, origin: PAGE, [name]: value } as ProofVerifierOptions;
    expect(() => createProofVerifier(options)).toThrow(`Expected ${name} to be`);
  });
});
