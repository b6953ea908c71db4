/**
 * A mail provider that issues tokens of the Email Verification Protocol, as Chrome's trial wants them, with one mailbox.
 * The browser asks it over TLS, and asks Google's DNS over HTTPS which host issues for a domain. `chromiumArguments` leads
 * both here.
 *
 * https://datatracker.ietf.org/doc/draft-hardt-email-verification/
 */
import { createHash, sign, X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generateKeys } from '../core/generate-keys.ts';
import { certificate } from './certificate.ts';

const DOMAIN = 'example.com';
/** Below `localhost`, so that a browser that was not started for this asks no name server. */
const SITE = 'provider.localhost';
const ISSUER = `accounts.${SITE}`;
const RECORD = `iss=${ISSUER}`;
const RECORD_NAME = `_email-verification.${DOMAIN}`;
const DNS = 'dns.google';

/** Where a person signs in and out. */
export const PROVIDER_URL = `https://${ISSUER}/`;

/** The only mailbox. It is a test address, which the service accepts. */
export const MAILBOX = `deliverable@${DOMAIN}`;

const NO_SUCH_NAME = 3;
const TXT = 16;
const MOST_BYTES = 10_000;

/** What a request needs to be answered: the rest is the transport's. */
interface ProviderRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface ProviderAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface MailProvider {
  /** Where it listens, as `host:port`. */
  readonly place: string;
  /** What Chromium is started with, so that it tries the protocol with this provider. It asks for no permission. */
  readonly chromiumArguments: readonly string[];
  /** The paths that were asked, without those of the pages. */
  readonly asked: string[];
  /** The TXT records of a name, as its DNS gives them. */
  resolve(name: string): Promise<readonly string[]>;
  /** Fetches from it, as a page's server does for the keys. */
  fetch(url: string): Promise<Response>;
  stop(): Promise<void>;
}

/** Listens on a free port of loopback. Rejects if the system has none. */
export async function startMailProvider(): Promise<MailProvider> {
  const { privateKey, publicKey } = generateKeys('ed25519');
  const kid = 'mail-provider';
  const asked: string[] = [];

  /** A token of the issuer. It binds the address to the key that the browser has made for this page. */
  function issue(email: string, key: Readonly<Record<string, string>>): string {
    const iat = Math.floor(Date.now() / 1000);
    const header = { alg: 'EdDSA', kid, typ: 'evt+jwt' };
    const iss = `https://${ISSUER}`;
    const claims = { iss, iat, exp: iat + 300, cnf: { jwk: key }, email, email_verified: true };
    const content = [header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${content}.${sign(null, Buffer.from(content), privateKey).toString('base64url')}~`;
  }

  const resolve = async (name: string) => (name === RECORD_NAME ? [RECORD] : []);

  function answer({ method, url, headers, body }: ProviderRequest): ProviderAnswer {
    const isSignedIn = /\bmailbox=open\b/.test(String(headers.cookie));
    const path = `${method} ${url.pathname}`;
    if (url.pathname !== '/') asked.push(path);
    if (url.hostname === DNS) return json(dnsAnswer(url.searchParams.get('name') ?? ''));
    switch (path) {
      case 'GET /.well-known/web-identity':
        return json({ accounts_endpoint: `https://${ISSUER}/accounts`, login_url: `https://${ISSUER}/` });
      case 'GET /accounts':
        if (!isSignedIn) return json({}, 401);
        return json({ accounts: [{ id: 'anna', name: 'Anna', given_name: 'Anna', email: MAILBOX }] });
      case 'GET /.well-known/email-verification':
        return json({
          issuance_endpoint: `https://${ISSUER}/issue`,
          jwks_uri: `https://${ISSUER}/jwks`,
          signing_alg_values_supported: ['EdDSA'],
        });
      case 'GET /jwks':
        return json({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' }] });
      case 'POST /issue': {
        const { email } = JSON.parse(body) as { email?: unknown };
        if (!isSignedIn || email !== MAILBOX) return json({ error: 'authentication_required' }, 401);
        return json({ issuance_token: issue(MAILBOX, browserKey(String(headers['signature-key']))) });
      }
      case 'POST /':
        return page(body === 'do=sign-in');
      case 'GET /':
        return page(isSignedIn, {});
      default:
        return json({}, 404);
    }
  }

  const pems = certificate();
  const server = createServer(pems, (request, response) => void respond(request, response, answer));
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(0, '127.0.0.1', () => listening());
  });
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    place,
    chromiumArguments: [
      '--enable-features=EmailVerificationProtocol',
      '--auto-grant-email-verification-permission-for-testing',
      `--ignore-certificate-errors-spki-list=${pinOf(pems.cert)}`,
      `--host-resolver-rules=${[DNS, SITE, ISSUER].map((name) => `MAP ${name} ${place}`).join(', ')}`,
    ],
    asked,
    resolve,
    async fetch(url) {
      const { body, ...init } = answer({ method: 'GET', url: new URL(url), headers: {}, body: '' });
      return new Response(body, init);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** The hash of the public key. */
const pinOf = (cert: string): string =>
  createHash('sha256')
    .update(new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: ProviderRequest) => ProviderAnswer,
): Promise<void> {
  const { method = '', headers } = request;
  let body = '';
  try {
    for await (const chunk of request.setEncoding('utf8')) {
      body += chunk;
      if (body.length > MOST_BYTES) return void response.writeHead(413).end();
    }
    const url = new URL(request.url ?? '', `https://${headers.host}`);
    const answered = answer({ method, url, headers, body });
    response.writeHead(answered.status, answered.headers).end(answered.body);
  } catch {
    // A body that breaks off or is not JSON, or a head without a host.
    response.writeHead(400).end();
  }
}

/** As Google's DNS answers (https://developers.google.com/speed/public-dns/docs/doh/json). */
function dnsAnswer(name: string): object {
  const question = { Question: [{ name, type: TXT }], TC: false, RD: true, RA: true, AD: false, CD: false };
  if (name.replace(/\.$/, '') !== RECORD_NAME) return { Status: NO_SUCH_NAME, ...question };
  return { Status: 0, ...question, Answer: [{ name, type: TXT, TTL: 300, data: RECORD }] };
}

/** The public key of the browser, from the header `Signature-Key` (`sig=hwk;kty="OKP";crv="Ed25519";x="…"`). */
function browserKey(header: string): Record<string, string> {
  const parts = [...header.matchAll(/\b(kty|crv|x|y)="([\w-]+)"/g)].map(([, name, value]) => [name, value]);
  return Object.fromEntries(parts) as Record<string, string>;
}

const json = (content: object, status = 200): ProviderAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'access-control-allow-origin': '*' },
  body: JSON.stringify(content),
});

/** @param changes whether the browser is told so, and keeps it. It asks only a provider that has told it */
function page(
  isSignedIn: boolean,
  change: Readonly<Record<string, string>> = sessionOf(isSignedIn),
): ProviderAnswer {
  const [action, label] = isSignedIn ? ['sign-out', 'Sign out'] : ['sign-in', 'Sign in'];
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', ...change },
    body: `<!doctype html>
<html lang="en"><title>Mail provider</title>
<h1>Mail provider</h1>
<p>${isSignedIn ? `You are signed in as ${MAILBOX}.` : `This provider has one mailbox: ${MAILBOX}.`}</p>
<form method="post"><button name="do" value="${action}">${label}</button></form>
</html>`,
  };
}

/** The browser keeps both: the cookie for the provider, and the sign-in status for itself (https://w3c-fedid.github.io/login-status/). */
const sessionOf = (isSignedIn: boolean) => ({
  'set-cookie': `mailbox=${isSignedIn ? 'open' : 'closed'}; Path=/; Secure; HttpOnly; SameSite=None`,
  'set-login': isSignedIn ? 'logged-in' : 'logged-out',
});
