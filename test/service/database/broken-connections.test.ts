/** A connection to the database that breaks at any moment of a request. Nobody gets a 500 for it. */
import { Kysely, PostgresDialect } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { createBilling } from '../../../src/service/credits/billing/billing.ts';
import { createUntilUnlocked } from '../../../src/service/credits/unlocked.ts';
import { serverAt } from '../../../src/service/database/connection.ts';
import { openPool } from '../../../src/service/database/pool.ts';
import type { Db, Schema } from '../../../src/service/database/schema.ts';
import { worldOf } from '../oauth/world.ts';
import { makeAccount } from '../support/account.ts';
import { BILLING_SECRET, startBillingServer } from '../support/billing-server.ts';
import { type Break, startBreakingProxy } from '../support/breaking-proxy.ts';
import { testDatabase } from '../support/database.ts';
import { DEPS } from '../support/deps.ts';
import { addProcess } from '../support/process.ts';
import { createScript, type StoredService, startStoredService, storeKey } from '../support/stored-service.ts';
import { makePerson, Visitor } from '../support/visitor.ts';

const { db, url } = await testDatabase();

interface Scene {
  /** Over the connections that break. */
  readonly service: StoredService;
  readonly accountId: string;
  /** An authorization header with a key of a new account. */
  authorise(mode: 'live' | 'test'): Promise<{ authorization: string }>;
}

/** Prepares a request. What it needs is made over a whole connection. @returns sends it for the `time`-th time */
type Prepare = (scene: Scene) => Promise<(time: number) => Promise<{ statusCode: number }>>;

const CREDITS = 100;
const EMAILS = ['ada@example.com', 'grace@example.com'];
const keyOf = (time: number, key: string) => ({ 'idempotency-key': `${key} ${time}` });

const REQUESTS: Readonly<Record<string, Prepare>> = {
  async 'a live verification'({ service, authorise }) {
    const headers = await authorise('live');
    return (time) => service.ask({ url: `/v1/verify?email=ada${time}@example.com`, headers });
  },
  async 'a live verification with an Idempotency-Key'({ service, authorise }) {
    const headers = await authorise('live');
    return (time) =>
      service.ask({
        ...{ method: 'POST', url: `/v1/verify?email=ada${time}@example.com` },
        headers: { ...headers, ...keyOf(time, 'live') },
      });
  },
  async 'a sample result'({ service, authorise }) {
    const headers = await authorise('test');
    return () => service.ask({ url: '/v1/verify?email=ada@example.com', headers });
  },
  async 'a live batch that billing pays'({ service, authorise }) {
    const emails = Array.from({ length: CREDITS + 1 }, (_, number) => `ada${number}@example.com`);
    return async (time) =>
      service.ask({
        ...{ method: 'POST', url: '/v1/batch', payload: { emails } },
        headers: { ...(await authorise('live')), ...keyOf(time, 'batch') },
      });
  },
  async 'a batch of a test key'({ service, authorise }) {
    const headers = await authorise('test');
    return () => service.ask({ method: 'POST', url: '/v1/batch', headers, payload: { emails: EMAILS } });
  },
  async 'a look at the account'({ service, authorise }) {
    const headers = await authorise('live');
    return () => service.ask({ url: '/v1/account', headers });
  },
  async 'the exchange of a code'({ service, accountId }) {
    const world = worldOf(db, service.app, accountId);
    const client = await world.makeApp();
    return async () => world.exchange(client, await world.codeOf(client));
  },
  async 'a page of the dashboard'({ service }) {
    const visitor = new Visitor((await startStoredService(db)).app);
    await visitor.signIn(await makePerson(db));
    const cookie = [...visitor.cookies].map((each) => each.join('=')).join('; ');
    return () => service.ask({ url: '/dashboard/', headers: { cookie } });
  },
};

/** A service whose connections go through the proxy, and break there. */
async function openScene() {
  const proxy = await startBreakingProxy(url);
  const pool = openPool(serverAt(proxy.url), 2, () => {});
  const broken: Db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  onTestFinished(() => broken.destroy());
  const { url: billingUrl } = await startBillingServer(10_000);
  const processId = crypto.randomUUID();
  await addProcess(db, processId);
  const logged: unknown[][] = [];
  const log = (...event: unknown[]) => void logged.push(event);
  const { verifier } = createScript();
  const startPaid = (patienceMs: number) => {
    const billing = createBilling({
      ...{ db: broken, log, processId, url: billingUrl, secret: BILLING_SECRET },
      ...{ lease: DEPS.lease, untilUnlocked: createUntilUnlocked(broken) },
      ...{ perDay: 1_000, publicKeys: false, patienceMs },
    });
    onTestFinished(() => billing.stop(0));
    return startStoredService(broken, { verifier, billing, log });
  };
  const [service, patient] = [await startPaid(300), await startPaid(60_000)];
  const accountId = await makeAccount(db);
  const authorise = async (mode: 'live' | 'test') => ({
    authorization: `Bearer ${(await storeKey(db, await makeAccount(db, CREDITS), { mode })).key}`,
  });
  return { proxy, logged, patient, scene: { service, accountId, authorise } };
}

it.each(
  Object.keys(REQUESTS).flatMap((name) =>
    (['unsent', 'unanswered', 'paused'] satisfies Break[]).map((how) => [name, how] as const),
  ),
)('answers %s with 503 or as always, wherever the connection breaks: %s', async (name, how) => {
  const { proxy, logged, patient, scene } = await openScene();
  const send = await REQUESTS[name]!(scene);
  const statuses = new Set<number>();
  let queries = 0;
  for (; ; queries += 1) {
    proxy.breakAfter(queries, how);
    const answer = (await send(queries)) as { statusCode: number; headers: Record<string, unknown> };
    statuses.add(answer.statusCode);
    if (answer.statusCode === 503) expect(answer.headers['retry-after']).toBe('2');
    if (proxy.isBroken) continue;
    let { statusCode } = answer;
    if (statusCode === 402) {
      // The payment goes on. On a busy machine, it does so without a break, and each time.
      proxy.breakAfter(Number.POSITIVE_INFINITY, how);
      const sendPatiently = await REQUESTS[name]!({ ...scene, service: patient });
      ({ statusCode } = await sendPatiently(queries));
    }
    expect(statusCode).toBe(200);
    break;
  }
  proxy.breakAfter(Number.POSITIVE_INFINITY, how);
  expect([...statuses].filter((status) => ![200, 402, 503].includes(status))).toEqual([]);
  expect(queries).toBeGreaterThan(0);
  expect(logged.filter(([, event]) => event === 'unexpected error')).toEqual([]);
});
