/** Opens the database, and makes what the parts of a process share. A service without a database does not load this. */
import { randomUUID } from 'node:crypto';
import { createFacts } from '../../engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../engine/facts/lists.ts';
import type { Verifier } from '../../engine/verifier.ts';
import { createSampleVerifier } from '../../sample/sample-verifier.ts';
import { type CallbackWorker, startCallbackWorker } from '../batch/callbacks/callback-worker.ts';
import { type BatchWorker, startBatchWorker } from '../batch/live/batch-worker.ts';
import { describeError, type Log } from '../core/log.ts';
import { createPublicUrl } from '../core/public-url.ts';
import { createBilling } from '../credits/billing/billing.ts';
import type { DashboardDeps } from '../dashboard/visit.ts';
import { openDatabase } from '../database/database.ts';
import type { EmbeddedServer } from '../database/embedded/start-embedded.ts';
import { createSecrets } from '../database/secrets.ts';
import type { Deps, Settings } from '../deps/deps.ts';
import { createIdempotency } from '../idempotency/idempotency.ts';
import { createJobMonitors, type Paces } from '../jobs/job-monitor.ts';
import type { KeyRing } from '../keys/key.ts';
import { createStoredKeys } from '../keys/stored-keys.ts';
import { createStoredRateLimit } from '../limits/stored-rate.ts';
import { createStoredUniquePerDayLimit } from '../limits/stored-visitors.ts';
import type { UniquePerDayLimit } from '../limits/unique-per-day.ts';
import { createReader, type Reader } from '../lists/reading/list-reader.ts';
import { findAccessToken } from '../oauth/tokens/access-tokens.ts';
import type { Metrics } from '../operations/metrics/metrics.ts';
import type { ProcessCounters } from '../operations/metrics/process-counters.ts';
import type { ProcessState } from '../operations/metrics/process-gauges.ts';
import { whyNotReady } from '../operations/readiness.ts';
import type { PasswordCost } from '../people/accounts/password-hash.ts';
import { createPasswords } from '../people/sign-in/passwords.ts';
import { createUsageCounter } from '../usage/usage-counter.ts';
import { createLiveVerifications, type LiveOptions } from '../verify/live/live-verifications.ts';
import { observed } from '../verify/observed-verifier.ts';
import { createStoredPacing } from '../verify/pacing/stored-pacing.ts';
import type { VerifyDeps } from '../verify/verification.ts';
import { startWork, type Work } from './background.ts';
import { createLiveEngine } from './live-engine.ts';

/** What the routes share. Beyond the record of the rooms, it has what keeps state of its own. */
export interface RouteDeps extends DashboardDeps, VerifyDeps {
  readonly keys: KeyRing;
  readonly uniquePerDay: UniquePerDayLimit;
}

/** A process with a database. */
export interface OpenedDeps {
  readonly deps: RouteDeps;
  /** One line about the database for the operator, without a password. */
  readonly what: () => string;
  /** Resolves when the database is ready and this process is known there. Rejects with a `DatabaseError`. */
  readonly ready: Promise<void>;
  /** Why this process is not ready, in one sentence. Undefined if it is. */
  whyNotReady(): string | undefined;
  /**
   * Finishes running work, and closes the database. Call it when no request is open.
   *
   * @param graceMs how long to wait for verifications that continue after their 249
   */
  close(graceMs: number): Promise<void>;
}

export interface OpenOptions {
  /** They name a database. */
  readonly settings: Settings;
  readonly log: Log;
  /** The server of an embedded database, if it starts already. */
  readonly embedded?: Promise<EmbeddedServer> | undefined;
  /** Collects the counters of the process. */
  readonly metrics?: Metrics | undefined;
  /** How often the jobs run. @default their own paces */
  readonly paces?: Paces | undefined;
  /** Makes the deadlines of requests with live keys. @default by their timeouts */
  readonly deadlineAfter?: LiveOptions['deadlineAfter'];
  /** Replaces the engine in tests. */
  readonly liveVerifier?: Verifier | undefined;
}

/**
 * Returns at once. Requests can be served once `ready` has resolved.
 *
 * @throws {DatabaseError} for a URL that cannot be parsed
 */
export function openDeps(options: OpenOptions): OpenedDeps {
  const { settings, log, embedded, metrics, paces, deadlineAfter } = options;
  const { role } = settings;
  const counters = metrics?.counters;
  const monitors = createJobMonitors();
  const secrets = createSecrets(settings.secrets?.keys ?? []);
  const database = openDatabase(settings.database!, { log, embedded, secrets });
  const { db, trouble } = database;
  const processId = randomUUID();
  const pacing = createStoredPacing({ db, processId, log });
  const engine =
    settings.live && !options.liveVerifier
      ? createLiveEngine(settings.live, pacing, log, counters?.onAsked)
      : undefined;
  const verifier = countLive(options.liveVerifier ?? engine?.verifier, counters);
  let work: Work | undefined;
  let batchWorker: BatchWorker | undefined;
  let callbackWorker: CallbackWorker | undefined;
  const isReady = () => work !== undefined && database.isReady();
  const shared: Deps = {
    ...{ db, log, processId, settings, isReady, trouble },
    publicUrl: createPublicUrl(settings.publicUrl, settings.host),
    usage: createUsageCounter(),
    billing: settings.billing && createBilling({ db, log, ...settings.billing }),
    onCredits: counters?.onCredits ?? (() => {}),
    sampleVerifier: countSamples(createSampleVerifier(createFacts(loadPublishedLists()), false), counters),
    wakeBatches: () => batchWorker?.wake(),
    wakeCallbacks: () => callbackWorker?.wake(),
    isPortClosed: () => engine?.isPortClosed() ?? false,
    findings: () => engine?.findings() ?? [],
  };
  const deps = completeDeps(shared, { verifier, deadlineAfter });
  const { live } = deps;
  const ready = database.ready.then(async () => {
    work = await startWork(deps, { monitors, paces, pacing });
    engine?.start();
    if (role === 'web') return;
    callbackWorker = startCallbackWorker(deps, {
      ...{ monitor: monitors.begin('callbacks'), onTried: counters?.onCallback },
      lookEveryMs: paces?.callbacks,
    });
    if (!verifier) return;
    batchWorker = startBatchWorker(deps, {
      ...{ verifier, findOrganisation: engine?.findOrganisation, monitor: monitors.begin('batches') },
      lookEveryMs: paces?.batches,
    });
  });
  const state: ProcessState = {
    whyNotReady: () =>
      whyNotReady({
        role,
        isDatabaseReady: isReady,
        databaseTrouble: trouble,
        jobs: monitors.report,
        stalledMs: () => batchWorker?.stalledMs() ?? 0,
      }),
    database: {
      isReady,
      poolCounts: database.poolCounts,
      jobs: monitors.report,
      isPortClosed: () => engine?.isPortClosed(),
      addressesAtWork: () => batchWorker?.atWork(),
    },
  };
  metrics?.watch(state, { db, isReady });
  // The caller may handle the rejection later.
  ready.catch(() => {});
  return {
    deps,
    what: () => database.what,
    ready,
    whyNotReady: state.whyNotReady,
    async close(graceMs) {
      const report = (error: unknown) => log('warn', 'stopping failed', describeError(error));
      // An unreachable database must not prevent the process from ending.
      const stopping = [live, batchWorker, callbackWorker].map((part) => part?.stop(graceMs).catch(report));
      await Promise.all(stopping);
      await engine?.stop().catch(report);
      await pacing.stop();
      await work?.stop().catch(report);
      await database.close();
    },
  };
}

interface Completion extends Pick<LiveOptions, 'deadlineAfter'> {
  /** Verifies for live keys. @default live keys get a 503 */
  readonly verifier: Verifier | undefined;
  readonly passwordCost?: PasswordCost;
  /** Reads uploaded lists. @default each in a process of its own */
  readonly listReader?: Reader;
}

/** Adds what keeps state of its own. */
export function completeDeps(
  deps: Deps,
  { verifier, deadlineAfter, passwordCost, listReader = createReader() }: Completion,
): RouteDeps {
  const { db, settings } = deps;
  return {
    ...deps,
    live: verifier && createLiveVerifications(deps, { verifier, deadlineAfter }),
    keys: { ...createStoredKeys(db), findAccessToken: (value) => findAccessToken(db, value) },
    rateLimit: createStoredRateLimit(db),
    uniquePerDay: createStoredUniquePerDayLimit(db, settings.limits.uniquePerDay),
    idempotency: createIdempotency(deps),
    passwords: createPasswords(deps, passwordCost),
    listReader,
  };
}

function countLive(
  verifier: Verifier | undefined,
  counters: ProcessCounters | undefined,
): Verifier | undefined {
  if (!verifier || !counters) return verifier;
  return observed(verifier, (verified, { inBackground }) =>
    counters.onVerified('live', inBackground ? 'batch' : 'request', verified),
  );
}

function countSamples(verifier: Verifier, counters: ProcessCounters | undefined): Verifier {
  return counters
    ? observed(verifier, (verified) => counters.onVerified('test', 'batch', verified))
    : verifier;
}
