/** A service that signs proofs, written with `jose` from the contract: a second implementation, which the tests compare. */
import { calculateJwkThumbprint, exportJWK, type JWK, SignJWT } from 'jose';
import { generateKeys } from '../generate-keys.ts';

export const SERVICE = 'https://verify.example';
export const PAGE = 'https://shop.example';
export const EMAIL = 'anna@shop.example';
/** The time of the tests, in seconds since 1970. */
export const NOW = 1_795_780_800;

export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
  readonly privateKey: CryptoKey;
}

export async function makeKey(): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeys('ES256');
  const publicJwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  return {
    kid,
    publicJwk: { ...publicJwk, kid, alg: 'ES256', use: 'sig' },
    privateJwk: await exportJWK(privateKey),
    privateKey,
  };
}

/** All claims of a proof, as the contract has them. */
export const claimsOf = (changes: object = {}): Record<string, unknown> => ({
  iss: SERVICE,
  aud: PAGE,
  iat: NOW - 30,
  exp: NOW - 30 + 600,
  jti: 'p3lZ8cT1q0m2v5x7y9A_Bg',
  email: EMAIL,
  state: 'deliverable',
  reason: 'accepted_email',
  score: 95,
  accept_all: null,
  disposable: false,
  role: false,
  free: true,
  did_you_mean: null,
  ...changes,
});

export const sign = (key: SigningKey, changes: object = {}, header: object = {}): Promise<string> =>
  new SignJWT(claimsOf(changes))
    .setProtectedHeader({ alg: 'ES256', kid: key.kid, typ: 'email-verify-proof+jwt', ...header })
    .sign(key.privateKey);

const encode = (part: string | Uint8Array) => Buffer.from(part).toString('base64url');

/** Signs any texts in the places of header and claims, also such that no library would write. */
export async function signTexts(key: SigningKey, header: string, claims: string): Promise<string> {
  const content = `${encode(header)}.${encode(claims)}`;
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
  const signature = await crypto.subtle.sign(algorithm, key.privateKey, Buffer.from(content));
  return `${content}.${encode(new Uint8Array(signature))}`;
}

export const headerOf = (key: SigningKey, changes: object = {}): string =>
  JSON.stringify({ alg: 'ES256', kid: key.kid, typ: 'email-verify-proof+jwt', ...changes });

/** A `fetch` that a test scripts. It counts. */
export interface ScriptedFetch {
  (url: string, init: RequestInit): Promise<Response>;
  readonly asked: { readonly url: string; readonly init: RequestInit }[];
  /** What the next requests get. */
  respond: (url: string, init: RequestInit) => Response | Promise<Response>;
}

export function scriptedFetch(respond: ScriptedFetch['respond']): ScriptedFetch {
  const fetch = Object.assign(
    async (url: string, init: RequestInit) => {
      fetch.asked.push({ url, init });
      return fetch.respond(url, init);
    },
    { asked: [] as ScriptedFetch['asked'], respond },
  );
  return fetch;
}

export const json = (body: unknown, status = 200): Response => new Response(JSON.stringify(body), { status });

/** A request that never gets a response, as of a service that hangs. It ends with its signal. */
export const never = (init: RequestInit): Promise<Response> =>
  new Promise((_, reject) => {
    init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
  });
