/**
 * Random requests at all OAuth endpoints, beside a small model that says which of them may get tokens.
 * `npm run fuzz:service` sends 10,000. FUZZ_RUNS says how many sequences, FUZZ_SEED with which seed.
 */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { makeAccount } from '../support/account.ts';
import { createTestDatabase } from '../support/database.ts';
import { type StoredService, startStoredService } from '../support/stored-service.ts';
import { FORM } from '../testing.ts';
import { CALLBACK, CHALLENGE, type Client, DEVICE_GRANT, VERIFIER, worldOf } from './world.ts';

const isLong = (import.meta as { env?: { MODE?: string } }).env?.MODE === 'fuzz';
const RUNS = Number(process.env.FUZZ_RUNS ?? (isLong ? 250 : 8));
const SEED = process.env.FUZZ_SEED === undefined ? undefined : Number(process.env.FUZZ_SEED);
const STEPS = 40;

const database = await createTestDatabase();
const { db } = database;
afterAll(() => database.drop());

const junk = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '\0',
    '%',
    '__proto__',
    "' or 1=1 --",
    `rt_${'a'.repeat(86)}`,
    'at_x',
    'x'.repeat(3000),
    '\ud800',
  ),
);
const NAMES = [
  ...['grant_type', 'client_id', 'client_secret', 'code', 'redirect_uri', 'code_verifier'],
  ...['refresh_token', 'device_code', 'token', 'scope'],
];
const GRANTS = ['authorization_code', 'refresh_token', DEVICE_GRANT];

/** What to send. Indexes choose among what the sequence has been given so far. */
const step = fc.record({
  kind: fc.constantFrom(
    'code',
    'device',
    'allow',
    'deny',
    'token',
    'token',
    'token',
    'token',
    'token',
    'revoke',
    'junk',
  ),
  grant: fc.constantFrom(0, 1, 2),
  client: fc.nat(2),
  proof: fc.constantFrom('body', 'body', 'basic', 'basic', 'both', 'none', 'wrong', 'other'),
  pick: fc.nat(30),
  withChallenge: fc.boolean(),
  verifier: fc.constantFrom('right', 'right', 'wrong', 'none'),
  encoding: fc.constantFrom('form', 'form', 'json'),
  redirect: fc.constantFrom(CALLBACK, CALLBACK, CALLBACK, `${CALLBACK}/`, 'https://app.example/second'),
  noise: fc.array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES), junk), junk), { maxLength: 2 }),
  isNoisy: fc.nat(4),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** What the model knows of a code, a family of tokens, or a device. */
interface Family {
  readonly client: Client;
  refresh: string;
  access: string;
  code: string | undefined;
  isAlive: boolean;
}
interface Code {
  readonly client: Client;
  readonly code: string;
  readonly withChallenge: boolean;
  isUsed: boolean;
}
interface Device {
  readonly client: Client;
  readonly deviceCode: string;
  readonly userCode: string;
  state: 'pending' | 'allowed' | 'denied' | 'used';
}

let service: StoredService;
async function play(steps: readonly Step[]): Promise<void> {
  const accountId = await makeAccount(db);
  const world = worldOf(db, service.app, accountId);
  const clients = [
    await world.makeApp({ redirectUris: [CALLBACK, 'https://app.example/second'] }),
    await world.makeApp({ isPublic: true }),
    await world.makeApp(),
  ];
  const codes: Code[] = [];
  const devices: Device[] = [];
  const families: Family[] = [];
  const used: string[] = [];
  const at = <Value>(list: readonly Value[], index: number) => list[index % Math.max(1, list.length)];

  for (const one of steps) {
    const client = clients[one.client]!;
    if (one.kind === 'code') {
      const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
      const code = await world.codeOf(client, one.withChallenge ? challenge : {});
      codes.push({ client, code, withChallenge: one.withChallenge, isUsed: false });
    } else if (one.kind === 'device') {
      const { device_code: deviceCode, user_code: userCode } = await world.deviceOf(client);
      devices.push({ client, deviceCode, userCode, state: 'pending' });
    } else if (one.kind === 'allow' || one.kind === 'deny') {
      const device = at(devices, one.pick);
      if (!device) continue;
      const isDone =
        one.kind === 'allow'
          ? await world.grants.allowDevice(device.userCode, accountId)
          : await world.grants.denyDevice(device.userCode);
      expect(isDone).toBe(device.state === 'pending');
      if (isDone) device.state = one.kind === 'allow' ? 'allowed' : 'denied';
    } else await send(one, client);
    await lookAtTokens(one);
  }

  async function send(one: Step, client: Client): Promise<void> {
    const { pairs, headers } = requestOf(one, client);
    const path = one.kind === 'junk' ? at(['token', 'device/code', 'revoke'], one.pick)! : one.kind;
    const payload =
      one.encoding === 'form'
        ? new URLSearchParams(pairs).toString()
        : JSON.stringify(Object.fromEntries(pairs));
    const type = one.encoding === 'form' ? FORM : 'application/json';
    const answer = await service.app.inject({
      method: 'POST',
      url: `/oauth/${path}`,
      headers: { 'content-type': type, ...headers },
      payload,
    });
    expect(answer.statusCode, answer.body).toBeLessThan(500);
    const sent = one.encoding === 'form' ? pairs : Object.entries(Object.fromEntries(pairs));
    if (path === 'token') judge(answer.statusCode, answer.json(), sent, headers.authorization);
    else if (path === 'revoke' && answer.statusCode === 200) noteRevoked(sent, headers.authorization);
  }

  function requestOf(one: Step, client: Client) {
    const grant = GRANTS[one.grant]!;
    const code = at(codes, one.pick);
    const tokens = [...used, ...families.map(({ refresh }) => refresh)];
    const values: Record<string, string | undefined> =
      one.kind === 'revoke'
        ? { token: at([...tokens, ...families.map(({ access }) => access)], one.pick) ?? 'none' }
        : {
            [GRANTS[0]!]: {
              code: code?.code ?? 'none',
              redirect_uri: one.redirect,
              code_verifier: verifierOf(one, code),
            },
            [GRANTS[1]!]: { refresh_token: at(tokens, one.pick) ?? 'none' },
            [GRANTS[2]!]: { device_code: at(devices, one.pick)?.deviceCode ?? 'none' },
          }[grant]!;
    const own = one.kind === 'token' ? { grant_type: grant, ...values } : one.kind === 'junk' ? {} : values;
    const { client_id, client_secret = '' } = client;
    const proofs: Record<Step['proof'], Record<string, string>> = {
      body: { client_id, client_secret },
      both: { client_id, client_secret },
      basic: {},
      none: { client_id },
      wrong: { client_id, client_secret: 'wrong' },
      other: { client_id, client_secret: clients[(one.client + 2) % 3]!.client_secret ?? '' },
    };
    const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
    const headers =
      one.proof === 'basic' || one.proof === 'both' ? { authorization } : ({} as { authorization?: string });
    const noise = one.kind === 'junk' || one.isNoisy === 0 ? one.noise : [];
    const pairs = [...Object.entries({ ...own, ...proofs[one.proof] }), ...noise].filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    return { pairs, headers };
  }

  /** The app that the request proves to be from, or undefined. */
  function proven(
    get: (name: string) => string | undefined,
    authorization: string | undefined,
  ): Client | undefined {
    const isDevice = get('grant_type') === DEVICE_GRANT;
    const secretInBody = get('client_secret');
    let [id, secret] = [get('client_id'), secretInBody];
    if (authorization !== undefined) {
      const [inHeader = '', secretInHeader = ''] = Buffer.from(authorization.slice(6), 'base64')
        .toString()
        .split(':');
      if (secretInBody !== undefined || (id !== undefined && id !== inHeader)) return undefined;
      [id, secret] = [inHeader, secretInHeader || undefined];
    }
    const client = clients.find(({ client_id }) => client_id === id);
    if (!client?.client_secret) return client;
    if (secret === undefined) return isDevice ? client : undefined;
    return secret === client.client_secret ? client : undefined;
  }

  /** What the model says to the request must be what the service has said. */
  function judge(
    status: number,
    body: { access_token: string; refresh_token: string },
    sent: readonly (readonly [string, string])[],
    authorization: string | undefined,
  ) {
    const { isClear, get } = readerOf(sent);
    const client = isClear ? proven(get, authorization) : undefined;
    const grant = get('grant_type');
    const give = (code: string | undefined) =>
      families.push({
        client: client!,
        refresh: body.refresh_token,
        access: body.access_token,
        code,
        isAlive: true,
      });
    if (client && grant === 'authorization_code' && get('code') && get('redirect_uri')) {
      const code = codes.find((known) => known.code === get('code') && known.client === client);
      const verifier = get('code_verifier');
      const agrees =
        get('redirect_uri') === CALLBACK &&
        (code?.withChallenge ? verifier === VERIFIER : verifier === undefined);
      if (code && !code.isUsed && agrees) {
        expect(status).toBe(200);
        code.isUsed = true;
        give(code.code);
        return;
      }
      for (const family of families) if (code?.isUsed && family.code === code.code) family.isAlive = false;
    }
    if (client && grant === 'refresh_token' && (get('scope') ?? 'all') === 'all') {
      const token = get('refresh_token') ?? '';
      const family = families.find(
        ({ refresh }) => refresh.slice(0, 46) === token.slice(0, 46) && token.length === 89,
      );
      if (family?.client === client && family.isAlive && family.refresh === token) {
        expect(status).toBe(200);
        used.push(family.refresh, family.access);
        family.refresh = body.refresh_token;
        family.access = body.access_token;
        return;
      }
      if (family?.client === client) family.isAlive = false;
    }
    if (client && grant === DEVICE_GRANT) {
      const device = devices.find(({ deviceCode }) => deviceCode === get('device_code'));
      if (device?.client === client && device.state === 'allowed') {
        expect(status).toBe(200);
        device.state = 'used';
        give(undefined);
        return;
      }
    }
    expect(status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
    expect(body).toEqual({ error: expect.any(String), error_description: expect.any(String) });
  }

  function noteRevoked(
    sent: readonly (readonly [string, string])[],
    authorization: string | undefined,
  ): void {
    const { get } = readerOf(sent);
    const client = proven(get, authorization);
    expect(client).toBeDefined();
    const token = get('token') ?? '';
    for (const family of families) {
      const isIts =
        family.access === token ||
        (token.length === 89 && family.refresh.slice(0, 46) === token.slice(0, 46));
      if (isIts && family.client === client) family.isAlive = false;
    }
  }

  /** Those that the model calls alive work, and no other that was ever there. */
  async function lookAtTokens({ pick }: Step): Promise<void> {
    const family = at(families, pick);
    if (family) {
      const { statusCode } = await world.askAccount(family.access);
      expect(statusCode).toBe(family.isAlive ? 200 : 403);
    }
    const old = at(used, pick);
    if (old) expect((await world.askAccount(old)).statusCode).toBe(403);
  }
}

/** Reads parameters as the standard has it: each once, and an empty one is none. */
function readerOf(sent: readonly (readonly [string, string])[]) {
  const seen = sent.filter(([name]) => NAMES.includes(name) && name !== 'token');
  const isClear =
    new Set(seen.map(([name]) => name)).size === seen.length &&
    !seen.some(([, value]) => value.includes('\0'));
  const get = (name: string) => sent.find(([known]) => known === name)?.[1] || undefined;
  return { isClear, get };
}

function verifierOf({ verifier }: Step, code: Code | undefined): string | undefined {
  if (verifier === 'wrong') return `${VERIFIER}x`;
  return verifier === 'none' || !code?.withChallenge ? undefined : VERIFIER;
}

it(
  'answers no request with a 5xx, and gives tokens exactly to those who may have them',
  async () => {
    service = await startStoredService(db);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: STEPS, size: 'max' }), play),
      { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: SEED }) },
    );
  },
  isLong ? 3_600_000 : 60_000,
);
