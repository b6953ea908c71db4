/** A service with a database, on the real clock and without a port, and a verifier that the test scripts. */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { afterAll, onTestFinished } from 'vitest';
import { createFacts } from '../../../src/engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../../src/engine/facts/lists.ts';
import type { Verifier } from '../../../src/engine/verifier.ts';
import type { VerificationResult } from '../../../src/protocol/result.ts';
import { createSampleVerifier } from '../../../src/sample/sample-verifier.ts';
import { createUsageFlush } from '../../../src/service/app/flush-usage.ts';
import { completeDeps } from '../../../src/service/app/open-deps.ts';
import { createService, type ServiceOptions } from '../../../src/service/app/web.ts';
import { createPublicUrl } from '../../../src/service/core/public-url.ts';
import type { Db } from '../../../src/service/database/schema.ts';
import type { Deps } from '../../../src/service/deps/deps.ts';
import { removeProcess } from '../../../src/service/jobs/process-store.ts';
import { importKey, type NewKey, type RevealedKey } from '../../../src/service/keys/key-store.ts';
import { createReader } from '../../../src/service/lists/reading/list-reader.ts';
import { createAnswers } from '../../../src/service/lists/reading/reader-answers.ts';
import type { ReadingProcess } from '../../../src/service/lists/reading/start-reader-process.ts';
import { createUsageCounter } from '../../../src/service/usage/usage-counter.ts';
import { deadlineAfter as afterTimeout, type Deadline } from '../../../src/service/verify/live/deadline.ts';
import type { LiveOptions } from '../../../src/service/verify/live/live-verifications.ts';
import { withResolvers } from '../../with-resolvers.ts';

export { failureOf } from '../testing.ts';

import { CHEAP_PASSWORDS, makeAccount } from './account.ts';
import { type Changes, DEPS, PUBLIC_URL, settingsWith } from './deps.ts';
import { addProcess } from './process.ts';

const facts = createFacts(loadPublishedLists());
const sampleVerifier = createSampleVerifier(facts);

/** Reads a list in this process, which is quicker than to start one. */
const readHere = (file: number): ReadingProcess => ({ ask: createAnswers(file), end: async () => {} });

/** A result that a verifier can return. */
export async function resultOf(
  address: string,
  changes: Partial<VerificationResult> = {},
): Promise<VerificationResult> {
  const { result } = await sampleVerifier({ address, smtp: true, acceptAll: false, timeoutMs: 5000 });
  return { ...result!, ...changes };
}

/** A verifier that returns a result at once, and records the addresses. */
export function createScript(changes: Partial<VerificationResult> = {}) {
  const asked: string[] = [];
  const verifier: Verifier = async ({ address }) => {
    asked.push(address);
    return { result: await resultOf(address, { state: 'deliverable', ...changes }), evidence: [] };
  };
  return { verifier, asked };
}

/** A verifier whose results wait until the test releases them. */
export function createHeldScript(changes: Partial<VerificationResult> = {}) {
  const asked: string[] = [];
  const { promise: released, resolve: release } = withResolvers();
  const { promise: hasStarted, resolve: started } = withResolvers();
  const verifier: Verifier = async ({ address }) => {
    asked.push(address);
    started();
    const later = released.then(async () => ({
      result: await resultOf(address, { state: 'deliverable', ...changes }),
      evidence: [],
    }));
    return { result: undefined, later };
  };
  return { verifier, asked, release, hasStarted };
}

export interface StoredService {
  readonly app: FastifyInstance;
  readonly logged: string[];
  ask(options: InjectOptions): Promise<LightMyRequestResponse>;
  /** Writes the counts so far. The process does this every second. */
  flushUsage(): Promise<void>;
  /** Waits until the ends of all verifications are recorded, and writes the counts. The process does so when it stops. */
  finish(): Promise<void>;
}

export interface StoredServiceOptions
  extends Partial<Omit<ServiceOptions, 'deps' | 'settings'>>,
    Omit<Changes, 'billing' | 'metrics'>,
    Partial<Pick<Deps, 'billing' | 'isReady' | 'trouble' | 'isPortClosed' | 'lists' | 'untilUnlocked'>> {
  /** The verifier of live keys. @default none, so that they get a 503 */
  readonly verifier?: Verifier | undefined;
  /** Whether no other test uses it, because this one reads its log or lets it listen. @default whether it has options */
  readonly isOwn?: true;
  /** @default by the timeouts, but the shortest one passes at once */
  readonly deadlineAfter?: LiveOptions['deadlineAfter'];
}

/** The limits of a service whose tests send many requests. */
export const MANY = { verifyPerSecond: 1_000_000, accountPerSecond: 1_000_000, batchPerSecond: 1_000_000 };

/** The shortest timeout of a request, in milliseconds. */
const SHORTEST_TIMEOUT = 2_000;
/** The deadlines of requests, of which the shortest passes at once. A test that wants a 249 need not wait for it. */
export const passSoon = (timeoutMs: number): Deadline =>
  timeoutMs === SHORTEST_TIMEOUT ? passAtOnce() : afterTimeout(timeoutMs);
/**
 * A deadline that passes soon, whatever the timeout, but not before a busy database has begun the verification. A request
 * looks at its deadline once while it begins, and again when it waits for the result: only then does the time start.
 */
export function passAtOnce(): Deadline {
  let hasBegun = false;
  let started: Deadline | undefined;
  const start = () => {
    started ??= afterTimeout(500);
    return started;
  };
  return {
    get passed() {
      if (hasBegun) return start().passed;
      hasBegun = true;
      return new Promise<'late'>(() => {});
    },
    get isPassed() {
      return started?.isPassed ?? false;
    },
    get signal() {
      return start().signal;
    },
    clear: () => started?.clear(),
  };
}

/** The services without options, by their database. */
const plain = new WeakMap<Db, Promise<StoredService>>();

/**
 * Starts a service, which ends with the test. One without options stays for the other tests of the file: to make one
 * takes longer than most of what they ask it. It keeps nothing of an account but its events of the log.
 */
export async function startStoredService(db: Db, options: StoredServiceOptions = {}): Promise<StoredService> {
  if (Object.keys(options).length > 0) return start(db, options, onTestFinished);
  const known = plain.get(db) ?? start(db, {}, () => {});
  plain.set(db, known);
  return known;
}

/**
 * Starts a service with options for all tests of a file, which calls this outside of them. It ends with the file. Its
 * tests share the log.
 */
export const startServiceOfFile = (db: Db, options: StoredServiceOptions): Promise<StoredService> =>
  start(db, options, afterAll);

async function start(
  db: Db,
  options: StoredServiceOptions,
  whenOver: (end: () => Promise<void>) => void,
): Promise<StoredService> {
  const { isOwn: _, verifier, deadlineAfter = passSoon, billing, isReady = DEPS.isReady, ...more } = options;
  const { isPortClosed = DEPS.isPortClosed, untilUnlocked = DEPS.untilUnlocked, ...rest } = more;
  const { lists = DEPS.lists, trouble = DEPS.trouble, ...others } = rest;
  const { limits = MANY, publicUrl } = others;
  const settings = settingsWith({ ...others, limits });
  const logged: string[] = [];
  const log = (...event: unknown[]) => void logged.push(JSON.stringify(event));
  const processId = randomUUID();
  await addProcess(db, processId);
  const usage = createUsageCounter();
  const deps = completeDeps(
    {
      ...DEPS,
      ...{ db, log, processId, settings, usage, billing, isReady, trouble, isPortClosed, lists },
      untilUnlocked,
      // Batches have links even if the service does not listen.
      publicUrl: { ...createPublicUrl(publicUrl), ...(publicUrl === undefined && { known: PUBLIC_URL }) },
    },
    { verifier, deadlineAfter, passwordCost: CHEAP_PASSWORDS, listReader: createReader({ start: readHere }) },
  );
  const { live } = deps;
  const app = createService({
    keys: [],
    fetch: () => Promise.reject(new Error('no test expects a request to leave')),
    log,
    ...others,
    ...{ settings, deps },
  });
  whenOver(async () => {
    await app.close();
    await live?.stop(0);
    await removeProcess(db, processId);
  });
  const flushUsage = createUsageFlush(db, usage, log);
  return {
    app,
    logged,
    ask: (request) => app.inject(request),
    flushUsage,
    async finish() {
      await live?.stop();
      await flushUsage();
    },
  };
}

let keys = 0;

/** Stores a key of the account. Its value is new by default. */
export async function storeKey(
  db: Db,
  accountId: string,
  key: Partial<NewKey> = {},
  value?: string,
): Promise<RevealedKey> {
  keys += 1;
  const { kind = 'private', mode = 'test' } = key;
  const trusted_domains = kind === 'public' ? ['shop.example'] : [];
  const row: NewKey = { account_id: accountId, name: null, trusted_domains, ...key, kind, mode };
  const made = await importKey(db, row, value ?? `${mode}_${kind}_${keys}_${accountId}`);
  if (made === 'exists') throw new Error('the test has this key already');
  return made;
}

/** Makes an account with these credits and a key, and the headers that send a private key. */
export async function makeCustomer(db: Db, credits = 0, key: Partial<NewKey> = {}) {
  const accountId = await makeAccount(db, credits);
  const stored = await storeKey(db, accountId, key);
  return { ...stored, accountId, headers: { authorization: `Bearer ${stored.key}` } };
}

/**
 * Counts a request of the account in a second that lasts until the end of the test, because a busy machine may need
 * longer than a second for all requests that belong into one. The database keeps no second that begins more than one in
 * the future, so a trigger keeps the count where a new second would begin.
 */
export async function beginSecond(db: Db, accountId: string, endpoint: string): Promise<void> {
  const trigger = sql.id(`lasting_second ${accountId} ${endpoint}`);
  const drop = sql`drop trigger if exists ${trigger} on rates`;
  await drop.execute(db);
  const started_at = sql<Date>`clock_timestamp()`;
  await db
    .insertInto('rates')
    .values({ account_id: accountId, endpoint, started_at, count: 1 })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'endpoint']).doUpdateSet({ started_at, count: 1 }),
    )
    .execute();
  await sql`
    create or replace function lasting_second() returns trigger language plpgsql as $$
    begin
      new.count := old.count + new.count;
      return new;
    end
    $$`.execute(db);
  await sql`
    create trigger ${trigger} before update on rates for each row
    when (
      old.account_id = ${sql.lit(accountId)} and old.endpoint = ${sql.lit(endpoint)}
      and old.started_at <> new.started_at
    )
    execute function lasting_second()`.execute(db);
  onTestFinished(async () => void (await drop.execute(db)));
}
