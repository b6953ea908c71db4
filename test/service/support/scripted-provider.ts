/** An OpenID provider on loopback that does what the test says, also what no honest one does. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import type { OidcSettings } from '../../../src/service/config/sections/oidc-section.ts';
import { generateKeys } from '../../generate-keys.ts';
import { listenOnLoopback } from '../../loopback.ts';

type Json = Readonly<Record<string, unknown>>;

/** What differs from an honest provider. Undefined changes nothing. */
export interface Script {
  /** Changes the metadata. */
  metadata?: Json;
  /** Changes the claims of the ID token. */
  idToken?: Json;
  /** Signs with a key that is not published. */
  otherKey?: boolean;
  /** Leaves the signature out. */
  unsigned?: boolean;
  /** Responds to everything with this status. */
  status?: number;
  /** Responds to token requests so. */
  token?: { readonly status: number; readonly body: string };
  /** What the userinfo endpoint adds. */
  userinfo?: Json;
  /** Answers nothing. */
  silent?: boolean;
  /** How many bytes of spaces are before each response. */
  padding?: number;
}

export interface ScriptedProvider {
  readonly issuer: string;
  readonly settings: OidcSettings;
  script: Script;
  /** The paths of the requests that came. */
  readonly asked: string[];
  /**
   * The person signs in at the URL to which the service has led the browser.
   *
   * @param parameters what the redirect has besides an honest one. Undefined removes a parameter
   * @returns the path and query of the redirect back to the service
   */
  signIn(url: string, claims: Json, parameters?: Readonly<Record<string, string | undefined>>): string;
  /** Makes a logout token. */
  logoutToken(claims: JWTPayload, typ?: string): Promise<string>;
}

export const CLIENT = { id: 'verify', secret: 'the secret of the client' };
/** What the service stores of sign-ins through a provider. */
export const PROVIDER_TABLES = [
  'identities',
  'provider_requests',
  'provider_sessions',
  'logout_tokens',
  'network_counts',
] as const;
export const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };

interface Grant {
  readonly nonce: string | null;
  readonly challenge: string | null;
  readonly claims: Json;
}

/** Ends with the test. */
export async function startScriptedProvider(
  settings: Partial<Omit<OidcSettings, 'issuer'>> = {},
): Promise<ScriptedProvider> {
  const [own, other] = await Promise.all([generateKeys('ES256'), generateKeys('ES256')]);
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, Json>();
  const asked: string[] = [];
  const server = createServer((request, response) => void answer(request, response));
  const port = await listenOnLoopback(server);
  const issuer = `http://127.0.0.1:${port}`;

  function send(response: ServerResponse, status: number, body: string): void {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(' '.repeat(provider.script.padding ?? 0) + body);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { script } = provider;
    const path = new URL(request.url!, issuer).pathname;
    asked.push(path);
    const body = new URLSearchParams(await text(request));
    if (script.silent) return;
    if (script.status !== undefined) return send(response, script.status, '{"error":"server_error"}');
    if (path === '/.well-known/openid-configuration')
      return send(response, 200, JSON.stringify({ ...metadata, ...script.metadata }));
    if (path === '/jwks') return send(response, 200, JSON.stringify({ keys: [jwk] }));
    if (path === '/token') return sendTokens(response, body, request.headers.authorization);
    const known = tokens.get(request.headers.authorization ?? '');
    if (path === '/userinfo' && known)
      return send(response, 200, JSON.stringify({ sub: known.sub, ...script.userinfo }));
    send(response, 404, '{"error":"not_found"}');
  }

  async function sendTokens(response: ServerResponse, body: URLSearchParams, authorization = '') {
    const { script } = provider;
    if (script.token) return send(response, script.token.status, script.token.body);
    const expected = Buffer.from(`${CLIENT.id}:${encodeURIComponent(CLIENT.secret).replaceAll('%20', '+')}`);
    if (authorization !== `Basic ${expected.toString('base64')}`)
      return send(response, 401, '{"error":"invalid_client"}');
    const code = body.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = await challengeOf(body.get('code_verifier') ?? '');
    if (!grant || challenge !== grant.challenge) return send(response, 400, '{"error":"invalid_grant"}');
    const claims = {
      ...{ iss: issuer, aud: CLIENT.id, nonce: grant.nonce, auth_time: seconds() },
      ...{ iat: seconds(), exp: seconds() + 300 },
      ...grant.claims,
      ...script.idToken,
    };
    const access_token = crypto.randomUUID();
    tokens.set(`Bearer ${access_token}`, claims);
    const id_token = script.unsigned
      ? new UnsecuredJWT(claims).encode()
      : await new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256', kid: 'one' })
          .sign(script.otherKey ? other.privateKey : own.privateKey);
    send(response, 200, JSON.stringify({ access_token, token_type: 'Bearer', id_token }));
  }

  const metadata = {
    ...{ issuer, authorization_endpoint: `${issuer}/authorize` },
    ...{ token_endpoint: `${issuer}/token`, userinfo_endpoint: `${issuer}/userinfo` },
    ...{ jwks_uri: `${issuer}/jwks`, response_types_supported: ['code'] },
    ...{ subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['ES256'] },
    authorization_response_iss_parameter_supported: true,
  };

  const provider: ScriptedProvider = {
    ...{ issuer, asked, script: {} },
    settings: {
      ...{ name: 'Example Login', issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret },
      ...{ allowedDomains: ['example.com'], account: undefined, only: false },
      ...settings,
    },
    signIn(url, claims, parameters = {}) {
      const { searchParams } = new URL(url);
      const code = crypto.randomUUID();
      grants.set(code, {
        ...{ nonce: searchParams.get('nonce'), challenge: searchParams.get('code_challenge'), claims },
      });
      const back = new URL(searchParams.get('redirect_uri')!);
      const sent = { code, state: searchParams.get('state') ?? undefined, iss: issuer, ...parameters };
      for (const [name, value] of Object.entries(sent))
        if (value !== undefined) back.searchParams.set(name, value);
      return back.pathname + back.search;
    },
    logoutToken: (claims, typ = 'logout+jwt') =>
      new SignJWT({
        ...{ iss: issuer, aud: CLIENT.id, iat: seconds(), exp: seconds() + 120 },
        ...{ jti: crypto.randomUUID(), events: EVENTS },
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'one', typ })
        .sign(provider.script.otherKey ? other.privateKey : own.privateKey),
  };
  return provider;
}

/** The time of tokens. */
const seconds = (): number => Math.floor(Date.now() / 1000);

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(verifier));
  return Buffer.from(digest).toString('base64url');
}
