/** A mail provider and a browser of the Email Verification Protocol, written with `jose` from the draft. */
import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, type JWK, SignJWT } from 'jose';
import { generateKeys } from '../generate-keys.ts';
import { EMAIL, NOW, PAGE } from './issuer.ts';

export const HOST = 'accounts.mail.example';
export const METADATA = `https://${HOST}/.well-known/email-verification`;
export const KEYS = `https://${HOST}/keys`;
/** A key of RSA that is too short. */
export const WEAK_BITS = 1_024;
export const NONCE = '259c5eae-486d-4b0f-b666-2a5b5ce1c925';

export interface Pair {
  readonly alg: string;
  readonly kid: string;
  readonly jwk: JWK;
  readonly privateKey: CryptoKey;
}

export async function makePair(alg: string): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeys(alg);
  const jwk = await exportJWK(publicKey);
  return { alg, kid: await calculateJwkThumbprint(jwk), jwk, privateKey };
}

/** Who signs a token, and what a test changes of it. */
export interface TokenParts {
  issuer: Pair;
  browser: Pair;
  header?: object;
  evt?: object;
  kbHeader?: object;
  kb?: object;
}

/** A token as the draft describes it, made by the mail provider and by the browser. */
export async function signToken({ issuer, browser, header, evt, kbHeader, kb }: TokenParts): Promise<string> {
  const claims = {
    ...{ iss: HOST, iat: NOW - 20, cnf: { jwk: browser.jwk } },
    ...{ email: EMAIL, email_verified: true },
    ...evt,
  };
  const own = await signWith(issuer, { kid: issuer.kid, typ: 'evt+jwt', ...header }, claims);
  const hash = createHash('sha256').update(`${own}~`).digest('base64url');
  const binding = { aud: PAGE, nonce: NONCE, iat: NOW - 10, sd_hash: hash, ...kb };
  return `${own}~${await signWith(browser, { typ: 'kb+jwt', ...kbHeader }, binding)}`;
}

async function signWith({ alg, privateKey }: Pair, header: object, claims: object): Promise<string> {
  const { modulusLength: bits } = privateKey.algorithm as Partial<RsaHashedKeyAlgorithm>;
  if (bits !== WEAK_BITS)
    return new SignJWT({ ...claims }).setProtectedHeader({ alg, ...header }).sign(privateKey);
  // jose does not sign with such a key.
  const content = `${encode({ alg, ...header })}.${encode(claims)}`;
  const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', privateKey, Buffer.from(content));
  return `${content}.${Buffer.from(signature).toString('base64url')}`;
}

export const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
