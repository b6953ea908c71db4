/** Opens the database, and makes what the parts of a process share. A service without a database does not load this. */
import { randomUUID } from 'node:crypto';
import { createFacts } from '../../engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../engine/facts/lists.ts';
import type { Verifier } from '../../engine/verifier.ts';
import { createSampleVerifier } from '../../sample/sample-verifier.ts';
import { BATCH_CALLBACKS } from '../batch/callbacks/batch-callbacks.ts';
import { type BatchWorker, startBatchWorker } from '../batch/live/batch-worker.ts';
import { describeError, type Log } from '../core/log.ts';
import { createPublicUrl } from '../core/public-url.ts';
import { createBilling } from '../credits/billing/billing.ts';
import { createUntilUnlocked } from '../credits/unlocked.ts';
import type { DashboardDeps } from '../dashboard/visit.ts';
import { coalesce } from '../database/coalesce.ts';
import { type Db, openDatabase } from '../database/database.ts';
import type { EmbeddedServer } from '../database/embedded/start-embedded.ts';
import { createSecrets } from '../database/secrets.ts';
import type { Deps, Settings } from '../deps/deps.ts';
import { createIdempotency } from '../idempotency/idempotency.ts';
import { createJobMonitors, type Paces } from '../jobs/job-monitor.ts';
import { createProcessLease } from '../jobs/process-lease.ts';
import { listProcesses } from '../jobs/process-store.ts';
import type { KeyRing } from '../keys/key.ts';
import { createStoredKeys } from '../keys/stored-keys.ts';
import { type NetworkLimit, UNKNOWN_KEYS } from '../limits/network-limit.ts';
import { createStoredNetworkLimit } from '../limits/stored-network-limit.ts';
import { createStoredRateLimit } from '../limits/stored-rate.ts';
import { createStoredUniquePerDayLimit } from '../limits/stored-unique-per-day.ts';
import type { UniquePerDayLimit } from '../limits/unique-per-day.ts';
import { createReader, type Reader } from '../lists/reading/list-reader.ts';
import { NOTICES } from '../notices/notice-queue.ts';
import { findAccessToken } from '../oauth/tokens/access-tokens.ts';
import type { Metrics } from '../operations/metrics/metrics.ts';
import type { ProcessCounters } from '../operations/metrics/process-counters.ts';
import type { ProcessState } from '../operations/metrics/process-gauges.ts';
import { whyNotReady } from '../operations/readiness.ts';
import type { PasswordCost } from '../people/accounts/password-hash.ts';
import { createProvider } from '../people/provider/provider.ts';
import { createPasswords } from '../people/sign-in/passwords.ts';
import type { ProofKeys } from '../proof/proof-keys.ts';
import { createStoredProofKeys } from '../proof/stored-proof-keys.ts';
import { createUsageCounter } from '../usage/usage-counter.ts';
import { addSamples, type SampleResult } from '../usage/usage-store.ts';
import { createStoredDomainFacts } from '../verify/domains/stored-domain-facts.ts';
import { createLiveVerifications, type LiveOptions } from '../verify/live/live-verifications.ts';
import { observed } from '../verify/observed-verifier.ts';
import { createStoredPacing } from '../verify/pacing/stored-pacing.ts';
import { createRenewals } from '../verify/renewals/renewals.ts';
import type { VerifyDeps } from '../verify/verification.ts';
import { startWebhookWorker, type WebhookWorker } from '../webhooks/webhook-worker.ts';
import { startPayments, startWork, type Work } from './background.ts';
import { createLiveEngine } from './live-engine.ts';

const NAMES_DIFFER =
  'Other processes use the database. Unless they are workers, each signs proofs with the URL that it listens on as the issuer, so the proofs differ. Set publicUrl to the URL at which your users reach the service.';

/** What the routes share. Beyond the record of the rooms, it has what keeps state of its own. */
export interface RouteDeps extends DashboardDeps, VerifyDeps {
  readonly keys: KeyRing;
  readonly unknownKeys: NetworkLimit;
  readonly uniquePerDay: UniquePerDayLimit;
  readonly proofKeys: ProofKeys;
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
  const lease = createProcessLease({ processId, log, openSession: database.openSession });
  const pacing = createStoredPacing({ db, processId, log });
  const domainFacts = createStoredDomainFacts({ db, processId, log });
  const engine =
    settings.live && !options.liveVerifier
      ? createLiveEngine(settings.live, log, { pacing, domainFacts, onAsked: counters?.onAsked })
      : undefined;
  const verifier = countLive(options.liveVerifier ?? engine?.verifier, counters);
  let work: Work | undefined;
  let batchWorker: BatchWorker | undefined;
  let callbackWorker: WebhookWorker | undefined;
  let noticeWorker: WebhookWorker | undefined;
  const isReady = () => work !== undefined && database.isReady();
  const untilUnlocked = createUntilUnlocked(db);
  const billing =
    settings.billing &&
    createBilling({
      ...{ db, log, processId, lease, untilUnlocked, onEnded: counters?.onPayment },
      ...settings.billing,
    });
  let payments: Work | undefined;
  const shared: Deps = {
    ...{ db, log, processId, lease, settings, isReady, trouble },
    publicUrl: createPublicUrl(settings.publicUrl, settings.host),
    usage: createUsageCounter(),
    ...{ billing, untilUnlocked },
    onCredits: counters?.onCredits ?? (() => {}),
    sampleVerifier: countSamples(createSampleVerifier(createFacts(loadPublishedLists()), false), counters),
    wakeBatches: () => batchWorker?.wake(),
    wakeCallbacks: () => callbackWorker?.wake(),
    isPortClosed: () => engine?.isPortClosed() ?? false,
    lists: () => engine?.lists() ?? [],
  };
  const deps = completeDeps(shared, { verifier, deadlineAfter });
  const { live } = deps;
  const ready = database.ready.then(async () => {
    work = await startWork(deps, { monitors, paces, lease, pacing });
    engine?.start();
    await prepareProofs(deps);
    payments = billing && startPayments(billing, log, monitors.begin('payments'), paces?.payments);
    if (role === 'web') return;
    callbackWorker = startWebhookWorker(deps, BATCH_CALLBACKS, {
      ...{ monitor: monitors.begin('callbacks'), onTried: counters?.onCallback },
      lookEveryMs: paces?.callbacks,
    });
    noticeWorker = startWebhookWorker(deps, NOTICES, {
      ...{ monitor: monitors.begin('notices'), onTried: counters?.onNotice },
      lookEveryMs: paces?.notices,
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
        ...{ role, isDatabaseReady: isReady, databaseTrouble: trouble, jobs: monitors.report },
        stalledMs: () => batchWorker?.stalledMs() ?? 0,
      }),
    database: {
      ...{ isReady, poolCounts: database.poolCounts, jobs: monitors.report },
      isPortClosed: () => engine?.isPortClosed(),
      lists: () => engine?.lists() ?? [],
      addressesAtWork: () => batchWorker?.atWork(),
    },
  };
  metrics?.setSources(state, { db, isReady });
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
      const stopping = [live, batchWorker, callbackWorker, noticeWorker, billing].map((part) =>
        part?.stop(graceMs).catch(report),
      );
      await Promise.all([...stopping, payments?.stop()]);
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
    countSample: countSamplesOf(db),
    keys: { ...createStoredKeys(db), findAccessToken: (value) => findAccessToken(db, value) },
    rateLimit: createStoredRateLimit(db),
    unknownKeys: createStoredNetworkLimit(db, UNKNOWN_KEYS),
    uniquePerDay: createStoredUniquePerDayLimit(db, settings.limits.uniquePerDay),
    proofKeys: createStoredProofKeys(db, settings.durations.proof),
    renewals: createRenewals(deps),
    idempotency: createIdempotency(deps),
    provider: settings.oidc && createProvider({ settings: settings.oidc, log: deps.log }),
    passwords: createPasswords(deps, passwordCost),
    listReader,
  };
}

/** Makes the first key, and warns of processes that may sign with different names. Requests do not wait for either. */
async function prepareProofs({ proofKeys, db, log, processId, settings }: RouteDeps): Promise<void> {
  try {
    await proofKeys.current();
    if (settings.publicUrl !== undefined || settings.role === 'worker') return;
    // An embedded database serves one process. The one before may have been killed a moment ago.
    if ('folder' in settings.database!) return;
    // They have no roles in the database, so the advice leaves out workers in words.
    const others = (await listProcesses(db)).filter(({ id, is_alive }) => is_alive && id !== processId);
    if (others.length > 0) log('warn', 'config', { place: 'publicUrl', advice: NAMES_DIFFER });
  } catch (error) {
    log('warn', 'proofs not prepared', describeError(error));
  }
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

/** Requests of test keys at the same moment share a round trip. */
const countSamplesOf = (db: Db) =>
  coalesce(
    async (samples: readonly SampleResult[]) => {
      await addSamples(db, samples);
      return samples;
    },
    { atOnce: 2, most: 100 },
  );

function countSamples(verifier: Verifier, counters: ProcessCounters | undefined): Verifier {
  return counters
    ? observed(verifier, (verified) => counters.onVerified('test', 'batch', verified))
    : verifier;
}
