/** Opens the parts that all rooms share: the database, this process's id in it, and live verification. */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createFacts } from '../../engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../engine/facts/lists.ts';
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../../engine/options.ts';
import type { Pacing } from '../../engine/pacing/pacing.ts';
import { HELD_BACK } from '../../engine/verdict.ts';
import type { Verified, Verifier } from '../../engine/verifier.ts';
import { createSampleVerifier } from '../../sample/sample-verifier.ts';
import { MOST_INLINE } from '../batch/batch-response.ts';
import { type CallbackWorker, startCallbackWorker } from '../batch/callbacks/callback-worker.ts';
import { type BatchWorker, startBatchWorker } from '../batch/live/batch-worker.ts';
import type { Settings } from '../config/load-settings.ts';
import type { Limits } from '../config/sections/limits-section.ts';
import type { LiveSettings } from '../config/sections/live-section.ts';
import type { Role } from '../config/sections/role-section.ts';
import { describeError, type Log } from '../core/log.ts';
import { createPublicUrl } from '../core/public-url.ts';
import { type Billing, createBilling } from '../credits/billing/billing.ts';
import { type Database, openDatabase } from '../database/database.ts';
import type { DatabaseLocation } from '../database/database-location.ts';
import type { EmbeddedServer } from '../database/embedded/start-embedded.ts';
import type { Db } from '../database/schema.ts';
import { createSecrets } from '../database/secrets.ts';
import { createJobMonitors, type Paces } from '../jobs/job-monitor.ts';
import type { Metrics } from '../operations/metrics/metrics.ts';
import type { ProcessCounters } from '../operations/metrics/process-counters.ts';
import type { ProcessState } from '../operations/metrics/process-gauges.ts';
import { whyNotReady } from '../operations/readiness.ts';
import { createUsageCounter } from '../usage/usage-counter.ts';
import {
  createLiveVerifications,
  type LiveOptions,
  type LiveVerifications,
} from '../verify/live/live-verifications.ts';
import { observed } from '../verify/observed-verifier.ts';
import { createStoredPacing } from '../verify/pacing/stored-pacing.ts';
import { startWork, type Work } from './background.ts';
import { createLiveEngine } from './live-engine.ts';
import { createRooms, type Rooms } from './rooms.ts';

/** The parts of a service with a database. */
export interface Parts {
  readonly db: Db;
  /** One line about the database for the operator, without a password. */
  readonly what: () => string;
  readonly processId: string;
  /** Absent without a verifier for live keys. */
  readonly live: LiveVerifications | undefined;
  /** Resolves when the database is ready and this process is known there. Rejects with a `DatabaseError`. */
  readonly ready: Promise<void>;
  /** Why this process is not ready, in one sentence. Undefined if it is. */
  whyNotReady(): string | undefined;
  /** Sets the base of links, in a process that serves no routes of its own. A configured URL wins. */
  listensOn(address: AddressInfo): void;
  /** What the routes need. */
  rooms(limits: Pick<Limits, 'uniquePerDay'>): Rooms;
  /**
   * Finishes running work, and closes the database. Call it when no request is open.
   *
   * @param graceMs how long to wait for verifications that continue after their 249
   */
  close(graceMs: number): Promise<void>;
}

export interface PartsOptions extends Pick<Settings, 'durations' | 'billing' | 'refundUnknown'> {
  /** The keys that seal stored secrets. @default secrets are in clear */
  readonly secrets?: Settings['secrets'];
  readonly location: DatabaseLocation;
  /** The server of that folder, if it starts already. */
  readonly embedded?: Promise<EmbeddedServer> | undefined;
  readonly log: Log;
  /** The settings of live verification. All processes share the pacing. @default live keys get a 503 */
  readonly live?: LiveSettings | undefined;
  /** The base of links. @default the URL that the service listens on */
  readonly publicUrl?: string | undefined;
  /** What the service listens on, for the base of links. @default the IP address of its socket */
  readonly host?: string | undefined;
  /** Whether callbacks may go to private IP addresses. @default false */
  readonly allowPrivateCallbacks?: boolean | undefined;
  /** IP addresses and ranges that callbacks may not go to. @default none */
  readonly refusedNetworks?: readonly string[] | undefined;
  /** The role of the process. @default 'all' */
  readonly role?: Role | undefined;
  /** Collects the counters of the process. */
  readonly metrics?: Metrics | undefined;
  /** How often the jobs run. @default their own paces */
  readonly paces?: Paces | undefined;
  /** Makes the deadlines of requests with live keys. @default by their timeouts */
  readonly deadlineAfter?: LiveOptions['deadlineAfter'];
  /** Replaces the engine in tests. */
  readonly liveVerifier?: ((pacing: Pacing) => Verifier) | undefined;
}

/**
 * Returns at once. Requests can be served once `ready` has resolved.
 *
 * @throws {DatabaseError} for a URL that cannot be parsed
 */
export function openParts(options: PartsOptions): Parts {
  const { location, embedded, log, role = 'all', metrics, paces } = options;
  const counters = metrics?.counters;
  const monitors = createJobMonitors();
  const database = openDatabase(location, {
    ...{ log, embedded },
    secrets: createSecrets(options.secrets?.keys ?? []),
  });
  const { db } = database;
  const processId = randomUUID();
  const pacing = createStoredPacing({ db, processId, log });
  const engine = options.live && createLiveEngine(options.live, pacing, log, counters?.onAsked);
  const verifier = countLive(options.liveVerifier?.(pacing) ?? engine?.verifier, counters);
  const billing = openBilling(options, database, log);
  const publicUrl = createPublicUrl(options.publicUrl, options.host);
  const usage = createUsageCounter();
  const { inlineResults, downloadFile, testBatch } = options.durations;
  const batches = {
    sampleVerifier: countSamples(createSampleVerifier(createFacts(loadPublishedLists()), false), counters),
    retention: { inlineResults, downloadFile, testBatch, mostInline: MOST_INLINE },
    billing,
    onCredits: counters?.onCredits,
    onLive: () => batchWorker?.wake(),
    onCompleted: () => callbackWorker?.wake(),
    usage,
  };
  const live =
    verifier &&
    createLiveVerifications({
      db,
      verifier,
      processId,
      verifyAgainSeconds: options.durations.verifyAgain,
      refundUnknown: options.refundUnknown,
      onCredits: counters?.onCredits,
      billing,
      usage,
      concurrency: options.live?.concurrency,
      deadlineAfter: options.deadlineAfter,
      log,
    });
  let work: Work | undefined;
  let batchWorker: BatchWorker | undefined;
  let callbackWorker: CallbackWorker | undefined;
  const ready = database.ready.then(async () => {
    work = await startWork({ db, processId, role, monitors, paces, live, pacing, batches, usage, log });
    engine?.start();
    if (role === 'web') return;
    callbackWorker = startCallbackWorker({
      ...{ monitor: monitors.begin('callbacks'), onTried: counters?.onCallback },
      ...{ db, processId, log, schedule: options.durations, publicUrl: publicUrl.known },
      allowPrivateAddresses: options.allowPrivateCallbacks ?? false,
      refusedNetworks: options.refusedNetworks,
      lookEveryMs: paces?.callbacks,
    });
    if (!verifier) return;
    const { refundUnknown } = options;
    const { retention, onCompleted } = batches;
    batchWorker = startBatchWorker({
      ...{ db, processId, verifier, isHeldBack, refundUnknown, retention, onCompleted, usage, log },
      ...batchPace(options.live),
      findOrganisation: engine?.findOrganisation,
      mayWork: () => !isPortClosed(),
      onRefund: counters && ((credits) => counters.onCredits(credits, 'batch-refund')),
      monitor: monitors.begin('batches'),
      lookEveryMs: paces?.batches,
    });
  });
  const isPortClosed = () => engine?.isPortClosed() ?? false;
  const findings = () => engine?.findings() ?? [];
  const isReady = () => work !== undefined && database.isReady();
  const state: ProcessState = {
    whyNotReady: () =>
      whyNotReady({
        role,
        isDatabaseReady: isReady,
        databaseTrouble: database.trouble,
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
    db,
    what: () => database.what,
    processId,
    live,
    ready,
    whyNotReady: state.whyNotReady,
    listensOn: publicUrl.listensOn,
    rooms: ({ uniquePerDay }) =>
      createRooms({
        ...{ db, processId, live, usage, findings, isPortClosed, uniquePerDay, isReady, batches },
        trouble: database.trouble,
        durations: options.durations,
        takesLiveBatches: verifier !== undefined,
        allowPrivateCallbacks: options.allowPrivateCallbacks ?? false,
        refusedNetworks: options.refusedNetworks,
        refundUnknown: options.refundUnknown,
        publicUrl,
        log,
      }),
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

/** Twice as many as conversations, so that a conversation always has a next address. */
function batchPace(live: Omit<EngineOptions, 'helo' | 'mailFrom'> = DEFAULT_ENGINE_OPTIONS) {
  const { perHost, greylistRetries, catchAllByDefault } = live;
  return { mostOfOrganisation: 2 * perHost.connections, greylistRetries, acceptAll: catchAllByDefault };
}

const isHeldBack = ({ evidence }: Verified) => evidence.at(-1)?.rule === HELD_BACK;

function openBilling(
  { billing }: Pick<Settings, 'billing'>,
  { db }: Database,
  log: Log,
): Billing | undefined {
  return billing && createBilling({ db, url: billing.url, secret: billing.secret, log });
}
