import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { exportJWK, type JWK } from 'jose';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmailTokenOptions, verifyEmailToken } from '../../src/server/email-token.ts';
import { readAgain } from '../generate-keys.ts';
import { rounds } from '../long.mjs';
import { stopIfEndless } from '../stop-if-endless.ts';
import { EMAIL, json, NOW, never, PAGE, type ScriptedFetch, scriptedFetch } from './issuer.ts';
import {
  encode,
  HOST,
  KEYS,
  METADATA,
  makePair,
  NONCE,
  type Pair,
  signToken,
  type TokenParts,
  WEAK_BITS,
} from './mail-provider.ts';

const pairs: Record<string, Pair> = {};
beforeAll(async () => {
  for (const alg of ['EdDSA', 'ES256', 'RS256']) pairs[alg] = await makePair(alg);
  pairs.browser = await makePair('EdDSA');
  pairs.stranger = await makePair('EdDSA');
});
afterEach(() => void vi.useRealTimers());

type Changes = Partial<TokenParts>;

const makeToken = (changes: Changes = {}) =>
  signToken({ issuer: pairs.EdDSA!, browser: pairs.browser!, ...changes });

/** The page's server, with DNS and the mail provider behind it. */
function open(options: Partial<EmailTokenOptions> = {}) {
  const clock = { seconds: NOW };
  const world = {
    texts: [`iss=${HOST}`] as readonly string[] | Error,
    metadata: { issuance_endpoint: `https://${HOST}/issue`, jwks_uri: KEYS } as object,
    keys: Object.values(pairs).map(({ jwk, kid }) => ({ ...jwk, kid })) as object[],
  };
  const names: string[] = [];
  const fetch: ScriptedFetch = scriptedFetch((url) =>
    url === METADATA ? json(world.metadata) : url === KEYS ? json({ keys: world.keys }) : json({}, 404),
  );
  const resolve = async (name: string) => {
    names.push(name);
    if (world.texts instanceof Error) throw world.texts;
    return world.texts;
  };
  const verify = (token: unknown, more: Partial<EmailTokenOptions> = {}) =>
    verifyEmailToken(token, {
      ...{ email: EMAIL, origin: PAGE, nonce: NONCE, resolve, fetch, now: () => clock.seconds * 1000 },
      ...options,
      ...more,
    });
  return { verify, world, fetch, names, clock };
}

const ACCEPTED = { ok: true, email: EMAIL, issuer: HOST, isPrivate: false };
const refused = (reason: string) => ({ ok: false, reason });

describe('a true token', () => {
  it.each(['EdDSA', 'ES256', 'RS256'])(
    'is accepted with %s, for what the domain of the address names',
    async (alg) => {
      const { verify, fetch, names } = open();
      expect(await verify(await makeToken({ issuer: pairs[alg]!, browser: pairs[alg]! }))).toEqual(ACCEPTED);
      expect(names).toEqual(['_email-verification.shop.example']);
      expect(fetch.asked.map(({ url }) => url)).toEqual([METADATA, KEYS]);
    },
  );

  it('is accepted with the algorithm’s other name, Ed25519', async () => {
    const pair = { ...pairs.EdDSA!, alg: 'Ed25519' };
    expect(await open().verify(await makeToken({ issuer: pair, browser: pair }))).toEqual(ACCEPTED);
  });

  it('is accepted for an address with spaces, and with its domain in capitals', async () => {
    expect(await open().verify(await makeToken(), { email: ' anna@SHOP.example ' })).toEqual(ACCEPTED);
  });

  it('says that the address is private', async () => {
    const email = 'u7x9@relay.example';
    const token = await makeToken({ evt: { email, is_private_email: true } });
    expect(await open().verify(token, { email })).toEqual({ ...ACCEPTED, email, isPrivate: true });
    // Of another type, it counts as absent, as in a result.
    expect(await open().verify(await makeToken({ evt: { is_private_email: 'true' } }))).toEqual(ACCEPTED);
  });

  it('is accepted from an issuer that is written as a URL, in its claim or in DNS', async () => {
    const { verify, world } = open();
    expect(await verify(await makeToken({ evt: { iss: `https://${HOST}` } }))).toEqual(ACCEPTED);
    world.texts = [`iss=https://${HOST}/`, 'v=something else'];
    expect(await verify(await makeToken())).toEqual(ACCEPTED);
  });

  it('asks for keys once in an hour, and again for one that is new', async () => {
    const { verify, world, fetch, clock } = open();
    world.keys = world.keys.filter((key) => (key as JWK).kid !== pairs.ES256!.kid);
    await verify(await makeToken());
    await verify(await makeToken());
    expect(fetch.asked).toHaveLength(2);
    const fresh = await makeToken({ issuer: pairs.ES256! });
    expect(await verify(fresh)).toEqual(refused('unknown-key'));
    world.keys.push({ ...pairs.ES256!.jwk, kid: pairs.ES256!.kid });
    expect(await verify(fresh)).toEqual(refused('unknown-key'));
    clock.seconds += 60;
    expect(await verify(fresh)).toEqual(ACCEPTED);
    expect(fetch.asked).toHaveLength(4);
  });
});

describe('a false token', () => {
  it.each([undefined, null, ''])('is absent: %o', async (token) => {
    expect(await open().verify(token)).toEqual(refused('absent'));
  });

  it.each<[string, Changes]>([
    ['malformed', { header: { alg: 'none' } }],
    ['malformed', { header: { kid: undefined } }],
    ['malformed', { evt: { iss: undefined } }],
    ['malformed', { evt: { email: 7 } }],
    ['typ', { header: { typ: 'JWT' } }],
    ['kb-typ', { kbHeader: { typ: 'JWT' } }],
    ['audience', { kb: { aud: 'https://evil.example' } }],
    ['audience', { kb: { aud: [PAGE] } }],
    ['audience', { kb: { aud: undefined } }],
    ['nonce', { kb: { nonce: 'another' } }],
    ['nonce', { kb: { nonce: '' } }],
    ['nonce', { kb: { nonce: undefined } }],
    ['issued-at', { evt: { iat: NOW - 301 } }],
    ['issued-at', { evt: { iat: NOW + 61 } }],
    ['issued-at', { evt: { iat: String(NOW) } }],
    ['issued-at', { kb: { iat: NOW - 301 } }],
    ['issued-at', { kb: { iat: NOW + 61 } }],
    ['issued-at', { kb: { iat: undefined } }],
    ['sd-hash', { kb: { sd_hash: createHash('sha256').update('other').digest('base64url') } }],
    ['sd-hash', { kb: { sd_hash: undefined } }],
    ['email-verified', { evt: { email_verified: false } }],
    ['email-verified', { evt: { email_verified: 'true' } }],
    ['other-address', { evt: { email: 'bob@shop.example' } }],
    ['other-address', { evt: { email: 'Anna@shop.example' } }],
    ['no-key', { evt: { cnf: undefined } }],
    ['no-key', { evt: { cnf: { jwk: {} } } }],
    ['no-key', { evt: { cnf: { jwk: { kty: 'oct', k: 'c2VjcmV0' } } } }],
    ['issuer', { evt: { iss: 'accounts.evil.example' } }],
    ['issuer', { evt: { iss: `http://${HOST}` } }],
    ['unknown-key', { header: { kid: 'unknown' } }],
  ])('is refused for %s: %j', async (reason, changes) => {
    // jose itself signs no token that names an algorithm which it has not.
    const isUnsigned = JSON.stringify(changes).includes('"none"');
    const token = isUnsigned
      ? (await makeToken()).replace(/^[^.]+/, encode({ ...changes.header, typ: 'evt+jwt', kid: 'a' }))
      : await makeToken(changes);
    expect(await open().verify(token)).toEqual(refused(reason));
  });

  it('is refused by the first check that fails, in the order of the reasons', async () => {
    const wrong: [string, Changes][] = [
      ['malformed', { evt: { email: 7 } }],
      ['typ', { header: { typ: 'JWT' } }],
      ['kb-typ', { kbHeader: { typ: 'JWT' } }],
      ['audience', { kb: { aud: 'https://evil.example' } }],
      ['nonce', { kb: { nonce: 'another' } }],
      ['issued-at', { evt: { iat: 0 } }],
      ['sd-hash', { kb: { sd_hash: 'another' } }],
      ['email-verified', { evt: { email_verified: false } }],
      ['other-address', { evt: { email: 'bob@shop.example' } }],
      ['no-key', { evt: { cnf: undefined } }],
      ['kb-signature', { evt: { cnf: { jwk: pairs.stranger!.jwk } } }],
      ['no-issuer', {}],
      ['issuer-unavailable', {}],
      ['issuer', { evt: { iss: 'accounts.evil.example' } }],
      ['unknown-key', { header: { kid: 'unknown' } }],
      ['signature', { issuer: { ...pairs.stranger!, kid: pairs.EdDSA!.kid } }],
    ];
    const { verify, world } = open();
    const reasons: unknown[] = [];
    let changes: Changes = {};
    // Each token has the mistakes of the one after it, too.
    for (const [reason, { issuer, ...parts }] of [...wrong].reverse()) {
      if (issuer) changes = { ...changes, issuer };
      for (const [name, part] of Object.entries(parts) as ['evt', object][])
        changes = { ...changes, [name]: { ...changes[name], ...part } };
      if (reason === 'issuer-unavailable') world.texts = new Error('ESERVFAIL');
      if (reason === 'no-issuer') world.texts = [];
      const verdict = await verify(await makeToken(changes));
      reasons.unshift(!verdict.ok && verdict.reason);
    }
    expect(reasons).toEqual(wrong.map(([reason]) => reason));
  });

  it('is refused with a nonce that the session does not have', async () => {
    for (const nonce of [undefined, null, '', 7, [NONCE]])
      expect(await open().verify(await makeToken({ kb: { nonce: String(nonce ?? '') } }), { nonce })).toEqual(
        refused('nonce'),
      );
  });

  it('is refused if the browser’s part is of another browser', async () => {
    const token = await makeToken({ evt: { cnf: { jwk: pairs.stranger!.jwk } } });
    expect(await open().verify(token)).toEqual(refused('kb-signature'));
  });

  it('is refused if its key is for another algorithm than the one it names', async () => {
    const token = await makeToken({ evt: { cnf: { jwk: pairs.ES256!.jwk } } });
    expect(await open().verify(token)).toEqual(refused('no-key'));
  });

  it('is refused if someone else has signed under the name of the issuer’s key', async () => {
    const token = await makeToken({ issuer: { ...pairs.stranger!, kid: pairs.EdDSA!.kid } });
    expect(await open().verify(token)).toEqual(refused('signature'));
  });

  it('is refused if the issuer’s key is for another algorithm', async () => {
    const { verify } = open();
    const token = await makeToken({ issuer: { ...pairs.EdDSA!, kid: pairs.RS256!.kid } });
    expect(await verify(token)).toEqual(refused('signature'));
  });

  it('is refused with an RSA key of fewer than 2,048 bits', async () => {
    const made = await crypto.subtle.generateKey(
      {
        ...{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: WEAK_BITS },
        publicExponent: new Uint8Array([1, 0, 1]),
      },
      true,
      ['sign', 'verify'],
    );
    const { publicKey, privateKey } = await readAgain(made, 'RS256');
    const weak: Pair = { alg: 'RS256', kid: 'weak', jwk: await exportJWK(publicKey), privateKey };
    const { verify, world } = open();
    expect(await verify(await makeToken({ browser: weak }))).toEqual(refused('no-key'));
    world.keys.push({ ...weak.jwk, kid: 'weak' });
    expect(await verify(await makeToken({ issuer: weak }))).toEqual(refused('signature'));
  });

  it('is refused with an RSA key of more than 8,192 bits, which would take long', async () => {
    const jwk = { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(1_025, 255).toString('base64url') };
    const token = await makeToken({ browser: pairs.RS256!, evt: { cnf: { jwk } } });
    expect(await open().verify(token)).toEqual(refused('no-key'));
  });

  it('is refused before anyone is asked, unless only its issuer can be wrong', async () => {
    const { verify, names, fetch } = open();
    for (const kb of [{ aud: 'https://evil.example' }, { nonce: 'b' }, { iat: 0 }, { sd_hash: 'c' }])
      await verify(await makeToken({ kb }));
    await verify(await makeToken({ evt: { cnf: { jwk: pairs.stranger!.jwk } } }));
    expect([...names, ...fetch.asked]).toEqual([]);
  });

  it('is refused in parts: without its browser’s, with disclosures, or twice', async () => {
    const token = await makeToken();
    const [own = '', bound = ''] = token.split('~');
    for (const text of [
      own,
      `${own}~`,
      `~${bound}`,
      bound,
      `${own}~WyJhIl0~${bound}`,
      `${token}~`,
      `${bound}~${own}x`,
    ])
      expect(await open().verify(text)).toEqual(refused('malformed'));
    expect(await open().verify(`${bound}~${bound}`)).toEqual(refused('malformed'));
  });

  it('never makes it reject, whatever it is, and costs nothing if it is huge', async () => {
    const { verify } = open();
    for (const text of ['~', '.', 'A.A.A~'])
      expect(await stopIfEndless(() => verify(text.repeat(5_000_000)))).toEqual(refused('malformed'));
    expect(await verify(await makeToken({ evt: { more: 'x'.repeat(10_000) } }))).toEqual(
      refused('malformed'),
    );
    const token = await makeToken();
    const parts = token.split(/[.~]/);
    const changed = fc
      .tuple(fc.nat(parts.length - 1), fc.oneof(fc.json(), fc.string()))
      .map(([index, text]) => {
        const [a, b, c, d, e, f] = Object.assign([...parts], {
          [index]: Buffer.from(text).toString('base64url'),
        });
        return `${a}.${b}.${c}~${d}.${e}.${f}`;
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(changed, fc.anything()), fc.anything(), async (given, email) => {
        expect(await verify(given, { email })).toMatchObject({ ok: false, reason: expect.any(String) });
      }),
      { numRuns: rounds(200, 3_000) },
    );
  });
});

describe('the issuer', () => {
  it.each<[string, readonly string[]]>([
    ['no record', []],
    ['a record for something else', ['v=spf1 -all']],
    ['an empty record', ['iss=']],
    ['two records', [`iss=${HOST}`, 'iss=accounts.evil.example']],
    ['two hosts in one record', [`iss=${HOST} iss=accounts.evil.example`]],
    ['an IP address', ['iss=127.0.0.1']],
    ['an IP address in another spelling', ['iss=0x7f.1']],
    ['an IPv6 address', ['iss=[::1]']],
    ['a name without a dot', ['iss=localhost']],
    ['a port', [`iss=${HOST}:8443`]],
    ['a path', [`iss=${HOST}/path`]],
    ['a user', [`iss=user@${HOST}`]],
    ['another scheme', [`iss=http://${HOST}`]],
  ])('is none with %s in DNS', async (_, texts) => {
    const { verify, world, fetch } = open();
    world.texts = texts;
    expect(await verify(await makeToken())).toEqual(refused('no-issuer'));
    expect(fetch.asked).toEqual([]);
  });

  it('is none for an address whose domain is not a host name', async () => {
    for (const email of ['anna@127.0.0.1', 'anna@shop', 'anna@shop_example.test', 'anna@[::1]', 'anna']) {
      const { verify, names } = open();
      expect(await verify(await makeToken({ evt: { email } }), { email })).toEqual(refused('no-issuer'));
      expect(names).toEqual([]);
    }
  });

  it.each([
    ['ENOTFOUND', 'no-issuer'],
    ['ENODATA', 'no-issuer'],
    ['ESERVFAIL', 'issuer-unavailable'],
    ['ETIMEOUT', 'issuer-unavailable'],
    ['ENOTIMP', 'issuer-unavailable'],
  ])('after the error %s of DNS is %s', async (code, reason) => {
    const { verify, world } = open();
    world.texts = Object.assign(new Error(code), { code });
    expect(await verify(await makeToken())).toEqual(refused(reason));
  });

  it('is unavailable if DNS does not answer within 5 seconds, or answers nonsense', async () => {
    expect(await open({ resolve: async () => null as never }).verify(await makeToken())).toEqual(
      refused('issuer-unavailable'),
    );
    const token = await makeToken();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let isAsked = false;
    const resolve = () => {
      isAsked = true;
      return new Promise<string[]>(() => {});
    };
    const verdict = open({ resolve }).verify(token);
    await vi.waitUntil(() => isAsked);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await verdict).toEqual(refused('issuer-unavailable'));
  });

  it.each([
    ['none', {}],
    ['one of another host', { jwks_uri: 'https://evil.example/keys' }],
    ['one of a host whose name ends in the same way', { jwks_uri: `https://evil-${HOST}/keys` }],
    ['one without encryption', { jwks_uri: `http://${HOST}/keys` }],
    ['one at another port', { jwks_uri: `https://${HOST}:8443/keys` }],
    ['a file', { jwks_uri: 'file:///etc/passwd' }],
    ['no text', { jwks_uri: 7 }],
  ])('is unavailable if its metadata has %s for the URL of its keys', async (_, metadata) => {
    const { verify, world, fetch } = open();
    world.metadata = metadata;
    expect(await verify(await makeToken())).toEqual(refused('issuer-unavailable'));
    expect(fetch.asked.map(({ url }) => url)).toEqual([METADATA]);
  });

  it('may have its keys at a host of its own domain, and no redirect is followed', async () => {
    const { verify, world, fetch } = open();
    world.metadata = { jwks_uri: `https://keys.${HOST}/` };
    fetch.respond = (url) => (url === METADATA ? json(world.metadata) : json({ keys: world.keys }));
    expect(await verify(await makeToken())).toEqual(ACCEPTED);
    expect(fetch.asked.every(({ init }) => init.redirect === 'manual')).toBe(true);
  });

  it('is unavailable if it does not respond', async () => {
    const { verify, fetch } = open();
    fetch.respond = () => Promise.reject(new TypeError('fetch failed'));
    expect(await verify(await makeToken())).toEqual(refused('issuer-unavailable'));
    const silent = open();
    const token = await makeToken();
    silent.fetch.respond = (_, init) => never(init);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const verdict = silent.verify(token);
    await vi.waitUntil(() => silent.fetch.asked.length > 0);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await verdict).toEqual(refused('issuer-unavailable'));
  });

  it('is forgotten with all others when there are many', async () => {
    const { verify, world, fetch } = open();
    fetch.respond = (url) =>
      json(
        url.endsWith('/keys')
          ? { keys: world.keys }
          : { jwks_uri: url.replace('.well-known/email-verification', 'keys') },
      );
    for (let index = 0; index < 101; index += 1) {
      const host = `accounts${index}.mail.example`;
      world.texts = [`iss=${host}`];
      expect(await verify(await makeToken({ evt: { iss: host } }))).toMatchObject({ ok: true, issuer: host });
    }
    const before = fetch.asked.length;
    for (const host of ['accounts100.mail.example', 'accounts0.mail.example']) {
      world.texts = [`iss=${host}`];
      await verify(await makeToken({ evt: { iss: host } }));
    }
    expect(fetch.asked.length - before).toBe(2);
  });
});

it('looks names up with Node’s resolver, and says where there is none', async () => {
  const asked: string[] = [];
  const dns = { resolveTxt: async (name: string) => [asked.push(name) && ['iss=accounts.', 'mail.example']] };
  const getBuiltinModule = vi.fn(() => dns);
  vi.stubGlobal('process', { getBuiltinModule });
  const token = await makeToken();
  expect(await open({ resolve: undefined }).verify(token)).toEqual(ACCEPTED);
  expect([getBuiltinModule.mock.calls, asked]).toEqual([
    [['node:dns/promises']],
    ['_email-verification.shop.example'],
  ]);
  vi.stubGlobal('process', undefined);
  await expect(open({ resolve: undefined }).verify(token)).rejects.toThrow('Expected resolve to be');
});

it('takes no origin that cannot be one', async () => {
  await expect(open({ origin: 'shop.example' }).verify(await makeToken())).rejects.toThrow(
    'Expected origin to be',
  );
});
