/**
 * Verifies the token of the browser's Email Verification Protocol: the visitor controls the address, says its provider.
 * https://datatracker.ietf.org/doc/draft-hardt-email-verification/
 *
 * The token is an SD-JWT without disclosures: a token of the issuer (EVT), and one of the browser that binds it to a page
 * (KB-JWT). What costs nothing is checked first. Only the host that the domain of the address names in DNS is asked.
 */

import { addressKey } from '../widget/check/address.ts';
import { endWithin, type Fetch } from './ask.ts';
import { digest, isText, no, type Properties, parseUrl, type Refused } from './encoding.ts';
import { ES256, isSignedBy, type Jws, parseJws, type Scheme } from './jws.ts';
import { createKeySet, type FindKey, fetchProperties } from './key-set.ts';
import { checkedOrigins, refuse } from './options.ts';

/** The settings of {@link verifyEmailToken}. */
export interface EmailTokenOptions {
  /** The address that the form has sent. */
  email: unknown;
  /** The origin of the page with the form, such as `https://shop.example`, or several. */
  origin: string | readonly string[];
  /** The nonce of the visitor's session, which the page has. Spend it once. Without one, no token is accepted. */
  nonce: unknown;
  /**
   * Looks up the TXT records of a name, each as one text. It rejects, or returns none, if there is no such name.
   *
   * @default Node's
   */
  resolve?: ((name: string) => PromiseLike<readonly string[]>) | undefined;
  /** Fetches the keys of issuers. Give the same function each time: what it has fetched is kept. @default the platform's */
  fetch?: Fetch | undefined;
  /** The time in milliseconds, for tests. @default Date.now */
  now?: (() => number) | undefined;
}

/**
 * Why a token is refused, in the order of the checks.
 *
 * - `absent`: the form has none. Most visitors have none
 * - `malformed`: it is not such a token, or has an algorithm that is not supported
 * - `typ`, `kb-typ`: one of its parts is a token for something else
 * - `audience`: it is for a page of another origin
 * - `nonce`: it is for another session
 * - `issued-at`: it is older than 5 minutes, or of the future
 * - `sd-hash`: its parts do not belong together
 * - `email-verified`: the issuer does not say that the visitor controls the address
 * - `other-address`: it is about another address
 * - `no-key`, `kb-signature`: the browser has not signed it
 * - `no-issuer`: the domain of the address names no issuer
 * - `issuer-unavailable`: DNS or the issuer did not respond
 * - `issuer`: someone else has issued it
 * - `unknown-key`, `signature`: the issuer has not signed it
 */
export type EmailTokenRefusal =
  | 'absent'
  | 'malformed'
  | 'typ'
  | 'kb-typ'
  | 'audience'
  | 'nonce'
  | 'issued-at'
  | 'sd-hash'
  | 'email-verified'
  | 'other-address'
  | 'no-key'
  | 'kb-signature'
  | 'no-issuer'
  | 'issuer-unavailable'
  | 'issuer'
  | 'unknown-key'
  | 'signature';

/** What {@link verifyEmailToken} says of a token. */
export type EmailTokenVerdict =
  | {
      /** Says that it is accepted. */
      readonly ok: true;
      /** The address, as the issuer writes it. */
      readonly email: string;
      /** The host of the issuer, such as `accounts.google.com`. */
      readonly issuer: string;
      /** Whether the address is one that the issuer has made for this page alone. */
      readonly isPrivate: boolean;
      /** There is none. */
      readonly reason?: undefined;
    }
  | Refused<EmailTokenRefusal>;

/** In characters. A token with RSA has about 2,000. */
const LENGTH_LIMIT = 10_000;
const OLDEST_S = 300;
const AHEAD_S = 60;
const DNS_MS = 5_000;
/** How many issuers are remembered, before all are forgotten. */
const MOST_ISSUERS = 100;

const ED25519: Scheme = { name: 'Ed25519' };
const SCHEMES: readonly (readonly [alg: unknown, Scheme])[] = [
  ['ES256', ES256],
  ['EdDSA', ED25519],
  ['Ed25519', ED25519],
  ['RS256', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }],
];
const schemeOf = ({ _header: { alg } }: Jws): Scheme | undefined =>
  SCHEMES.find(([name]) => name === alg)?.[1];

/** As `URL` writes it: at least two labels, and the last begins with a letter. */
const HOST_NAME = /^[a-z\d][a-z\d.-]*\.[a-z][a-z\d-]+$/;

/** The keys of the issuers, for each `fetch`. */
const ISSUERS = new WeakMap<object, Map<string, FindKey>>();

/**
 * Verifies a token of the browser's Email Verification Protocol.
 *
 * @param token what the form has sent, of any type. It never rejects for it
 * @throws TypeError for an option that cannot be
 */
export async function verifyEmailToken(
  token: unknown,
  { email, origin, nonce, resolve = nodeResolve(), fetch, now = Date.now }: EmailTokenOptions,
): Promise<EmailTokenVerdict> {
  const origins = checkedOrigins(origin);
  if ((token ?? '') === '') return no('absent');
  const [evtText = '', kbText = '', ...more] =
    isText(token) && token.length <= LENGTH_LIMIT ? token.split('~') : [];
  const evt = parseJws(evtText);
  const kb = parseJws(kbText);
  if (!evt || !kb || more.length > 0) return no('malformed');
  const scheme = schemeOf(evt);
  const kbScheme = schemeOf(kb);
  const { kid } = evt._header;
  const {
    iss,
    iat,
    cnf,
    email: address,
    email_verified: isVerified,
    is_private_email: isPrivate,
  } = evt._claims;
  const bound = kb._claims;
  if (!scheme || !kbScheme || !isText(kid) || !isText(iss) || !isText(address)) return no('malformed');
  if (evt._header.typ !== 'evt+jwt') return no('typ');
  if (kb._header.typ !== 'kb+jwt') return no('kb-typ');
  if (!origins.includes(bound.aud)) return no('audience');
  // Digests are compared, so that the time says nothing about the texts.
  if (!isText(nonce) || !isText(bound.nonce) || (await digest(nonce)) !== (await digest(bound.nonce)))
    return no('nonce');
  const isTimely = (at: unknown) =>
    typeof at === 'number' && now() / 1000 - at <= OLDEST_S && at - now() / 1000 <= AHEAD_S;
  if (!isTimely(iat) || !isTimely(bound.iat)) return no('issued-at');
  if (bound.sd_hash !== (await digest(`${evtText}~`))) return no('sd-hash');
  if (isVerified !== true) return no('email-verified');
  if (!isText(email) || addressKey(email) !== addressKey(address)) return no('other-address');
  const isBound = await isSignedBy((cnf as Properties | undefined)?.jwk, kb, kbScheme);
  if (!isBound) return no(isBound === false ? 'kb-signature' : 'no-key');
  const issuer = await issuerOf(address, resolve);
  // A host name has a dot, and a refusal has none.
  if (!issuer.includes('.')) return no(issuer as EmailTokenRefusal);
  if (hostOf(iss) !== issuer) return no('issuer');
  const found = await keysOf(issuer, fetch, now)(kid);
  if (typeof found === 'string') return no(found === 'unknown-key' ? found : 'issuer-unavailable');
  return (await isSignedBy(found, evt, scheme))
    ? { ok: true, email: address, issuer, isPrivate: isPrivate === true }
    : no('signature');
}

/** The host that the domain of the address names as its issuer (draft, "Issuer Discovery"). */
async function issuerOf(
  address: string,
  resolve: NonNullable<EmailTokenOptions['resolve']>,
): Promise<string | 'no-issuer' | 'issuer-unavailable'> {
  const domain = hostOf(address.split('@').pop());
  if (!domain) return 'no-issuer';
  try {
    const texts = await endWithin(DNS_MS, undefined, async () => resolve(`_email-verification.${domain}`));
    // After the time, it is a text, and this an exception as of any resolver.
    const [record, ...others] = (texts as readonly string[]).filter((text) => text.startsWith('iss='));
    // More than one would leave the choice to whoever answers.
    return (others.length === 0 && hostOf(record?.slice('iss='.length))) || 'no-issuer';
  } catch (error) {
    return /^ENO(TFOUND|DATA)$/.test((error as { code: string } | undefined)?.code as string)
      ? 'no-issuer'
      : 'issuer-unavailable';
  }
}

/**
 * A host name, also if it is written as `https://host`. No IP address and no name without a dot: a record of DNS must not
 * send your server to a neighbour.
 */
function hostOf(text: unknown): string | undefined {
  const url = parseUrl(`https://${String(text).replace(/^https:\/\/|\/$/g, '')}`);
  // A path, a user or a port would be in the one and not in the other.
  return url?.href === `https://${url?.hostname}/` && HOST_NAME.test(url.hostname) ? url.hostname : undefined;
}

/** The keys of an issuer, which are kept for an hour. */
function keysOf(issuer: string, fetch: Fetch | undefined, now: () => number): FindKey {
  const owner = fetch ?? globalThis;
  const known = ISSUERS.get(owner) ?? new Map<string, FindKey>();
  ISSUERS.set(owner, known);
  if (!known.has(issuer)) {
    if (known.size >= MOST_ISSUERS) known.clear();
    known.set(
      issuer,
      createKeySet((signal) => fetchKeys(issuer, fetch, signal), now),
    );
  }
  return known.get(issuer)!;
}

async function fetchKeys(
  issuer: string,
  fetch: Fetch | undefined,
  signal: AbortSignal,
): Promise<Properties | undefined> {
  const metadata = await fetchProperties(fetch, `https://${issuer}/.well-known/email-verification`, signal);
  const url = parseUrl(metadata?.jwks_uri);
  // With a dot before both, one ends with the other only at a dot. A port would be in `host`.
  if (url?.protocol !== 'https:' || !`.${url.host}`.endsWith(`.${issuer}`)) return undefined;
  return fetchProperties(fetch, url.href, signal);
}

/** Node's way to look up TXT records. It is not imported, because other runtimes have none. */
function nodeResolve(): NonNullable<EmailTokenOptions['resolve']> {
  type Dns = { resolveTxt(name: string): Promise<string[][]> };
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): Dns } };
  const dns = process?.getBuiltinModule?.('node:dns/promises');
  if (!dns) return refuse('resolve', 'a function', dns);
  return async (name) => (await dns.resolveTxt(name)).map((chunks) => chunks.join(''));
}
