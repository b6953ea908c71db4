/** A service with apps, an account, and the shortest ways to a code, tokens and a device code. */
import { randomInt } from 'node:crypto';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db } from '../../../src/service/database/schema.ts';
import { createApp } from '../../../src/service/oauth/apps/create-app.ts';
import { readAuthorizationRequest } from '../../../src/service/oauth/authorization/read-authorization-request.ts';
import {
  allowRequest,
  type Decider,
  decideDevice,
  denyRequest,
  findDeviceRequest,
  listAuthorisedApps,
  revokeAuthorisedApp,
} from '../../../src/service/oauth/decisions.ts';
import type { AuthorizationRequest, Decision } from '../../../src/service/oauth/grants.ts';
import type { DeviceCodeSchema, TokenResponse } from '../../../src/service/oauth/oauth-schema.ts';
import { makeAccount, ownerOf } from '../support/account.ts';
import { settingsWith } from '../support/deps.ts';
import { type StoredServiceOptions, startStoredService } from '../support/stored-service.ts';
import { FORM } from '../testing.ts';

export const CALLBACK = 'https://app.example/callback';
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
export const ISSUER = 'http://localhost';
/** The example of RFC 7636, appendix B. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** What an app knows of itself, as parameters. */
export interface Client {
  readonly client_id: string;
  readonly client_secret?: string;
}

type Values = Readonly<Record<string, string>>;

/** The parameters of a function after its dependencies. */
type Rest<Act> = Act extends (deps: never, ...of: infer Of) => unknown ? Of : never;

export async function openWorld(db: Db, options: StoredServiceOptions & { credits?: number } = {}) {
  const { credits = 0, ...others } = options;
  const service = await startStoredService(db, others);
  const accountId = await makeAccount(db, credits);
  return { ...service, ...worldOf(db, service.app, accountId, options), accountId };
}

/** The same over real connections. A person's decision takes the place of the browser. */
export async function openToClients(db: Db, options?: Parameters<typeof openWorld>[1]) {
  const world = await openWorld(db, { ...options, isOwn: true });
  const base = await world.app.listen({ host: '127.0.0.1', port: 0 });

  /** What the browser does with the URL of an authorization request, if the person decides so. */
  async function visit(url: URL, decide: 'allow' | 'deny' = 'allow'): Promise<URL> {
    expect(`${url.origin}${url.pathname}`).toBe(`${base}/oauth/authorize`);
    const request = await world.read(Object.fromEntries(url.searchParams), base);
    if (request.kind !== 'ask') throw new Error(request.message);
    const decision = await world.grants[decide](request, world.accountId);
    if (decision.kind !== 'redirect') throw new Error(decision.kind);
    return new URL(decision.url);
  }
  return { ...world, base, visit };
}

/** The same for a service that runs already. */
export function worldOf(
  db: Db,
  app: FastifyInstance,
  accountId: string,
  { durations }: Pick<StoredServiceOptions, 'durations'> = {},
) {
  const deps = { db, settings: settingsWith({ durations }) };
  const grants = {
    allow: (request: AuthorizationRequest, account: string) => allowRequest(deps, request, ownerOf(account)),
    deny: (request: AuthorizationRequest, account: string) => denyRequest(db, request, ownerOf(account)),
    findDeviceRequest: (code: string) => findDeviceRequest(db, code),
    allowDevice: (code: string, account: string) => decideDevice(db, code, ownerOf(account), true),
    denyDevice: (code: string, account: string) => decideDevice(db, code, ownerOf(account), false),
    listAuthorisedApps: (account: string) => listAuthorisedApps(db, account),
    revokeAuthorisedApp: (account: string, clientId: string) =>
      revokeAuthorisedApp(db, ownerOf(account), clientId),
    readAuthorizationRequest: (...of: Rest<typeof readAuthorizationRequest>) =>
      readAuthorizationRequest(db, ...of),
  };
  const post = (path: string, form: Values, more: InjectOptions = {}): Promise<LightMyRequestResponse> =>
    app.inject({
      method: 'POST',
      url: `/oauth/${path}`,
      ...more,
      headers: { 'content-type': FORM, ...more.headers },
      payload: new URLSearchParams(form).toString(),
    });

  /** An app with both flows. A public one has no secret. */
  async function makeApp(wish: Partial<Parameters<typeof createApp>[1]> = {}): Promise<Client> {
    const made = await createApp(db, {
      ...{ accountId, name: 'Newsletter', redirectUris: [CALLBACK] },
      ...{ allowsDevice: true, isPublic: false, clientId: undefined },
      ...wish,
    });
    if (made === 'exists') throw new Error('the test has this client id already');
    const { clientId: client_id, clientSecret } = made;
    return clientSecret === undefined ? { client_id } : { client_id, client_secret: clientSecret };
  }

  const read = (query: Values, issuer = ISSUER) => {
    const sent = Object.entries(query).map(([name, value]) => [name, [value]] as const);
    return grants.readAuthorizationRequest(new Map(sent), issuer);
  };

  /** What a person who allows the app sends back with the browser. A public app must send a challenge. */
  async function allow({ client_id, client_secret }: Client, query: Values = {}): Promise<Decision> {
    const request = await read({
      ...{ response_type: 'code', client_id, redirect_uri: CALLBACK },
      ...(client_secret === undefined && { code_challenge: CHALLENGE, code_challenge_method: 'S256' }),
      ...query,
    });
    if (request.kind !== 'ask') throw new Error(request.message);
    return grants.allow(request, accountId);
  }

  async function codeOf(client: Client, query: Values = {}): Promise<string> {
    const decision = await allow(client, query);
    if (decision.kind === 'oob-code') return decision.code;
    if (decision.kind !== 'redirect') throw new Error(decision.kind);
    return new URL(decision.url).searchParams.get('code')!;
  }

  const exchange = (client: Client, code: string, more: Values = {}) =>
    post('token', { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...client, ...more });

  const refresh = (client: Client, refresh_token: string, more: Values = {}) =>
    post('token', { grant_type: 'refresh_token', refresh_token, ...client, ...more });

  async function tokensOf(client: Client): Promise<TokenResponse> {
    const proof = client.client_secret === undefined ? { code_verifier: VERIFIER } : {};
    const answer = await exchange(client, await codeOf(client), proof);
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json();
  }

  /** Each device is in a network of its own, because the requests of a network are limited. */
  async function deviceOf({ client_id }: Client): Promise<Static<typeof DeviceCodeSchema>> {
    const remoteAddress = `198.18.${randomInt(256)}.${randomInt(256)}`;
    const answer = await post('device/code', { client_id }, { remoteAddress });
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json();
  }

  const poll = ({ client_id }: Client, device_code: string) =>
    post('token', { grant_type: DEVICE_GRANT, client_id, device_code });

  /** What the API says to an access token. */
  const askAccount = (access_token: string, more: InjectOptions = {}) =>
    app.inject({ url: `/v1/account?access_token=${access_token}`, ...more });

  /** The same for any person of any account. */
  const decide = (request: AuthorizationRequest, decider: Decider) => allowRequest(deps, request, decider);
  const allowDeviceFor = (code: string, decider: Decider) => decideDevice(db, code, decider, true);

  return {
    ...{ grants, decide, decideDevice: allowDeviceFor, post, makeApp, read, allow },
    ...{ codeOf, exchange, refresh, tokensOf, deviceOf, poll, askAccount },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** The status and error of a refusal, which has its two names and no more. */
export function refusalOf(answer: LightMyRequestResponse): [number, string] {
  const body = answer.json<{ error: string; error_description: string }>();
  expect(Object.keys(body)).toEqual(['error', 'error_description']);
  expect(body.error_description).toMatch(/^[A-Z].{5,}\.$/);
  expect(answer.headers['cache-control']).toBe('no-store');
  return [answer.statusCode, body.error];
}

/** Lets the times of rows be as long ago as a wait would have made them. */
export async function passTime(db: Db, seconds: number): Promise<void> {
  const earlier = (column: string) => sql`${sql.ref(column)} - make_interval(secs => ${seconds}::float8)`;
  await sql`update authorization_codes set expires_at = ${earlier('expires_at')}`.execute(db);
  await sql`
    update token_families set access_expires_at = ${earlier('access_expires_at')}, issued_at = ${earlier('issued_at')}
  `.execute(db);
  await sql`
    update device_requests set expires_at = ${earlier('expires_at')}, polled_at = ${earlier('polled_at')}
  `.execute(db);
}
