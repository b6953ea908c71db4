/**
 * Random requests at all OAuth endpoints, beside a model that says which of them may get tokens.
 * `npm run fuzz:service` sends 10,000. FUZZ_RUNS says how many sequences, FUZZ_SEED with which seed.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../long.mjs';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { type StoredService, startStoredService } from '../support/stored-service.ts';
import { FORM } from '../testing.ts';
import { Model } from './model.ts';
import { CALLBACK, CHALLENGE, type Client, DEVICE_GRANT, VERIFIER, worldOf } from './world.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? rounds(8, 60));

const { db } = await testDatabase();

const SECOND = 'https://app.example/second';
const junk = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('\0', '%', '__proto__', "' or 1=1 --", `rt_${'a'.repeat(86)}`, 'at_x', 'x'.repeat(3000)),
);
const names = fc.constantFrom(
  ...['grant_type', 'client_id', 'client_secret', 'code', 'redirect_uri', 'code_verifier'],
  ...['refresh_token', 'device_code', 'token', 'scope'],
);

/** What happens next. `pick` chooses among what the sequence has been given so far. */
const steps = fc.record({
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constant('token' as const) },
    {
      weight: 5,
      arbitrary: fc.constantFrom('code', 'code', 'device', 'allow', 'allow', 'deny', 'revoke', 'junk'),
    },
  ),
  grant: fc.constantFrom('authorization_code', 'refresh_token', DEVICE_GRANT),
  client: fc.nat(2),
  /** Whether the app sends what it has been given and not used, as it should. Otherwise anything may be wrong. */
  isHonest: fc.boolean(),
  proof: fc.constantFrom('body', 'body', 'basic', 'basic', 'both', 'none', 'wrong', 'other'),
  pick: fc.nat(30),
  withChallenge: fc.boolean(),
  verifier: fc.constantFrom('right', 'right', 'wrong', 'none'),
  encoding: fc.constantFrom('form', 'form', 'json'),
  redirectUri: fc.constantFrom(CALLBACK, CALLBACK, CALLBACK, `${CALLBACK}/`, SECOND),
  noise: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(fc.oneof(names, junk), junk), { maxLength: 4 }) },
  ),
});
type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

const pickOf = <Value>(list: readonly Value[], index: number): Value | undefined => list[index % list.length];

let service: StoredService;
/** How many requests got tokens, and how many did not. */
const seen = { given: 0, refused: 0 };

/** Takes the steps, and compares the service with the model after each. */
async function play(sequence: readonly Step[]): Promise<void> {
  const accountId = await makeAccount(db);
  const world = worldOf(db, service.app, accountId);
  const model = new Model([
    await world.makeApp({ redirectUris: [CALLBACK, SECOND] }),
    await world.makeApp({ isPublic: true }),
    await world.makeApp(),
  ]);

  async function take(step: Step, client: Client): Promise<void> {
    if (step.kind === 'code') {
      const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
      const withChallenge = step.withChallenge || client.client_secret === undefined;
      const code = await world.codeOf(client, withChallenge ? challenge : {});
      model.codes.push({ client, code, withChallenge, isUsed: false });
    } else if (step.kind === 'device') {
      const { device_code: deviceCode, user_code: userCode } = await world.deviceOf(client);
      model.devices.push({ client, deviceCode, userCode, state: 'pending' });
    } else if (step.kind === 'allow' || step.kind === 'deny') {
      await decide(step.kind, step.pick);
    } else await send(step, client);
  }

  async function decide(kind: 'allow' | 'deny', pick: number): Promise<void> {
    const device = pickOf(model.devices, pick);
    if (!device) return;
    const { allowDevice, denyDevice } = world.grants;
    const isDone = await (kind === 'allow' ? allowDevice : denyDevice)(device.userCode, accountId);
    expect(isDone).toBe(device.state === 'pending');
    if (isDone) device.state = kind === 'allow' ? 'allowed' : 'denied';
  }

  async function send(step: Step, client: Client): Promise<void> {
    const path = step.kind === 'junk' ? pickOf(['token', 'device/code', 'revoke'], step.pick)! : step.kind;
    const { pairs, authorization } = requestOf(step, client, model);
    // In JSON, the last of several equal names counts.
    const sent = step.encoding === 'form' ? pairs : Object.entries(Object.fromEntries(pairs));
    const isForm = step.encoding === 'form';
    const answer = await service.app.inject({
      method: 'POST',
      url: `/oauth/${path}`,
      headers: {
        'content-type': isForm ? FORM : 'application/json',
        ...(authorization === undefined ? {} : { authorization }),
      },
      payload: isForm ? `${new URLSearchParams(pairs)}` : JSON.stringify(Object.fromEntries(pairs)),
    });
    const { statusCode: status, body } = answer;
    expect(status, body).toBeLessThan(500);
    if (path === 'revoke' && status === 200) expect(model.revoke(sent, authorization)).toBeDefined();
    if (path !== 'token') return;
    const give = model.judge(sent, authorization);
    expect(status === 200, body).toBe(give !== undefined);
    seen[give ? 'given' : 'refused'] += 1;
    if (give) give(answer.json());
    else expect(answer.json()).toEqual({ error: expect.any(String), error_description: expect.any(String) });
  }

  /** A token works if the model says that it is alive. */
  async function lookAtTokens({ pick }: Step): Promise<void> {
    const family = pickOf(model.families, pick);
    if (family) expect((await world.askAccount(family.access)).statusCode).toBe(family.isAlive ? 200 : 403);
    const former = pickOf(model.former, pick);
    if (former) expect((await world.askAccount(former)).statusCode).toBe(403);
  }

  for (const step of sequence) {
    await take(step, step.kind === 'token' ? senderOf(step, model) : model.clients[step.client]!);
    await lookAtTokens(step);
  }
}

/** A request that often is almost right. */
function requestOf(
  step: Step,
  client: Client,
  model: Model,
): { pairs: [string, string][]; authorization?: string } {
  const { client_id, client_secret = '' } = client;
  const proofs: Record<Step['proof'], Record<string, string>> = {
    body: { client_id, client_secret },
    both: { client_id, client_secret },
    basic: {},
    none: { client_id },
    wrong: { client_id, client_secret: 'wrong' },
    other: { client_id, client_secret: model.clients.find((other) => other !== client)!.client_secret ?? '' },
  };
  const proof = step.isHonest && step.proof !== 'basic' ? 'body' : step.proof;
  const own = { ...ownParameters(step, model), ...proofs[proof] };
  const pairs: [string, string][] = [...Object.entries(own), ...(step.isHonest ? [] : step.noise)];
  if (proof !== 'basic' && proof !== 'both') return { pairs };
  return { pairs, authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` };
}

/** What the step chooses to send, of what the service has given. An honest app sends what it has not used yet. */
function chosenOf({ pick, isHonest }: Step, { codes, families, former, devices }: Model) {
  const open = {
    code: codes.filter(({ isUsed }) => !isUsed),
    family: families.filter(({ isAlive }) => isAlive),
    device: devices.filter(({ state }) => state === 'allowed'),
  };
  const all = { code: codes, family: families, device: devices };
  const { code, family, device } = isHonest ? open : all;
  const tokens = [...families.flatMap(({ access, refresh }) => [refresh, access]), ...former];
  return {
    code: pickOf(code, pick),
    family: pickOf(family, pick),
    device: pickOf(device, pick),
    anyToken: pickOf(tokens, pick) ?? 'none',
  };
}

/** The app that sends it: its own one if it is honest. */
function senderOf(step: Step, model: Model): Client {
  const { code, family, device } = chosenOf(step, model);
  const thing = { authorization_code: code, refresh_token: family, [DEVICE_GRANT]: device }[step.grant];
  return (step.isHonest && thing?.client) || model.clients[step.client]!;
}

function ownParameters(step: Step, model: Model): Record<string, string> {
  const { kind, grant: grant_type, isHonest, verifier } = step;
  const { code, family, device, anyToken } = chosenOf(step, model);
  if (kind === 'junk') return {};
  if (kind === 'revoke') return { token: anyToken };
  if (grant_type === 'refresh_token')
    return { grant_type, refresh_token: (isHonest && family?.refresh) || anyToken };
  if (grant_type === DEVICE_GRANT) return { grant_type, device_code: device?.deviceCode ?? 'none' };
  const redirect_uri = isHonest ? CALLBACK : step.redirectUri;
  const request = { grant_type, code: code?.code ?? 'none', redirect_uri };
  if (verifier === 'wrong' && !isHonest) return { ...request, code_verifier: `${VERIFIER}x` };
  const isRight = isHonest || verifier === 'right';
  return isRight && code?.withChallenge ? { ...request, code_verifier: VERIFIER } : request;
}

it('answers no request with a 5xx, and gives tokens exactly to those who may have them', {
  timeout: 600_000 + RUNS * 9_000,
}, async () => {
  service = await startStoredService(db);
  const sequences = fc.array(steps, { minLength: 30, maxLength: 60, size: 'max' });
  await fc.assert(fc.asyncProperty(sequences, play), { numRuns: RUNS });
  // Otherwise the sequences show nothing.
  expect(Math.min(seen.given, seen.refused)).toBeGreaterThan(RUNS / 4);
});
