/** Cleans up every few seconds: work of dead processes, and rows that are no longer needed. */
import { forgetAudit } from '../audit/audit-store.ts';
import { forgetDeleted, forgetProgress, forgetResults, forgetSamples } from '../batch/batch-store.ts';
import { forgetTries } from '../batch/callbacks/callback-store.ts';
import { stopOnePaused } from '../batch/manage/manage-batches.ts';
import { forgetMarks, noteMarks } from '../batch/pace/pace-store.ts';
import { auditNext } from '../books/audit-night.ts';
import { describeError, type Log } from '../core/log.ts';
import { createSlots } from '../core/slots.ts';
import { giveUpAbandoned } from '../credits/billing/payment-store.ts';
import { closeLedger } from '../credits/closing/closing-store.ts';
import type { Db } from '../database/schema.ts';
import { renewStatistics } from '../database/statistics-store.ts';
import { forgetDeletedAccounts } from '../deletion/delete-account.ts';
import type { Deps } from '../deps/deps.ts';
import { forgetResponses } from '../idempotency/idempotency-store.ts';
import type { JobMonitor } from '../jobs/job-monitor.ts';
import { forgetProcesses } from '../jobs/process-store.ts';
import { type Repeated, repeat } from '../jobs/repeat.ts';
import { type Step, workWithin } from '../jobs/work-within.ts';
import { forgetNetworkCounts, forgetVisitors } from '../limits/limit-store.ts';
import { forgetRows } from '../lists/list-store.ts';
import { lookAtCredits } from '../notices/look-at-credits.ts';
import { forgetDeviceRequests } from '../oauth/device/device-store.ts';
import { forgetCodes, forgetTokens } from '../oauth/tokens/token-store.ts';
import { forgetFormerSecrets } from '../people/accounts/account-store.ts';
import { forgetSetUps } from '../people/factors/authenticator-app-store.ts';
import { forgetHalfSignIns } from '../people/factors/half-sign-in-store.ts';
import { forgetInvitations } from '../people/members/invitation-store.ts';
import { forgetPersonEvents } from '../people/persons/person-event-store.ts';
import { forgetLogoutTokens, forgetProviderRequests } from '../people/provider/provider-store.ts';
import { forgetUnusedBrowsers } from '../people/sessions/known-browser-store.ts';
import { forgetEndedSessions } from '../people/sessions/session-store.ts';
import { forgetOldGuesses } from '../people/sign-in/guess-store.ts';
import { forgetSignInLinks } from '../people/sign-in/sign-in-link-store.ts';
import { keepProofKeys } from '../proof/roll-proof-key.ts';
import { forgetDailyResults, forgetRefusals } from '../usage/usage-store.ts';
import { forgetFacts } from '../verify/domains/domain-facts-store.ts';
import { forgetKept } from '../verify/live/live-store.ts';
import { createForgetPaces } from '../verify/pacing/pacing-store.ts';
import { forgetRenewable } from '../verify/renewals/renewal-store.ts';

/** One part of the housekeeping. */
export interface Task {
  /** For the log. */
  readonly name: string;
  readonly step: Step;
}

/** How many tasks run at once. A slow one holds up none of the others. */
const AT_ONCE = 2;
/** How long a task works on. It goes on at its next turn, and requests have the database for themselves in between. */
const LONGEST_MS = 1_000;

/** For each of them, a step deletes a few rows. */
const FORGOTTEN = {
  'kept results': forgetKept,
  'renewable results': forgetRenewable,
  responses: forgetResponses,
  'expired results': forgetResults,
  'deleted batches': forgetDeleted,
  'batches of test keys': forgetSamples,
  'progress of batches': forgetProgress,
  'marks of batches': forgetMarks,
  'tries of callbacks': forgetTries,
  drafts: forgetRows,
  visitors: forgetVisitors,
  'counts of networks': forgetNetworkCounts,
  processes: forgetProcesses,
  'facts of domains': (db) => forgetFacts(db),
  codes: forgetCodes,
  tokens: forgetTokens,
  'device requests': forgetDeviceRequests,
  sessions: forgetEndedSessions,
  'requests to the provider': forgetProviderRequests,
  'logout tokens': forgetLogoutTokens,
  'known browsers': forgetUnusedBrowsers,
  invitations: forgetInvitations,
  'sign-in links': forgetSignInLinks,
  guesses: forgetOldGuesses,
  'set-ups of authenticator apps': forgetSetUps,
  'half sign-ins': forgetHalfSignIns,
  refusals: forgetRefusals,
  'results by day': forgetDailyResults,
  'former secrets': forgetFormerSecrets,
  'deleted accounts': forgetDeletedAccounts,
} as const satisfies Readonly<Record<string, (db: Db) => Promise<boolean>>>;

/** Everything that comes to an end. Processes may work on it at the same time. */
export function tasksOf(
  deps: Pick<Deps, 'db' | 'log' | 'settings' | 'onCredits' | 'wakeCallbacks'>,
): readonly Task[] {
  const { db, log, settings } = deps;
  const { ledgerDetail, auditLog, proof } = settings.durations;
  return [
    ...Object.entries(FORGOTTEN).map(([name, forget]) => ({ name, step: () => forget(db) })),
    { name: 'paces', step: createForgetPaces(db) },
    { name: 'ledger', step: () => closeLedger(db, ledgerDetail) },
    { name: 'audit log', step: () => forgetAudit(db, auditLog) },
    { name: 'changes of persons', step: () => forgetPersonEvents(db, auditLog) },
    { name: 'pace of batches', step: () => noteMarks(db).then(() => false) },
    { name: 'keys of proofs', step: () => keepProofKeys(db, proof).then(() => false) },
    { name: 'statistics', step: () => renewStatistics(db).then(() => false) },
    { name: 'paused batches', step: () => stopPaused(deps) },
    { name: 'low credits', step: () => lookAtCredits(db, settings) },
    { name: 'books', step: () => auditNext(db, log) },
    // With billing, the process asks again and gives up by itself.
    ...(settings.billing ? [] : [{ name: 'abandoned payments', step: () => endAbandoned(db, log) }]),
  ];
}

async function endAbandoned(db: Db, log: Log): Promise<boolean> {
  for (const { id: payment, account, tries } of await giveUpAbandoned(db))
    log('error', 'payment ended', { payment, try: tries, account, outcome: 'given up' });
  return false;
}

/** @returns whether there may be more to stop */
async function stopPaused(deps: Parameters<typeof tasksOf>[0]): Promise<boolean> {
  const { db, settings, onCredits, wakeCallbacks } = deps;
  const stopped = await stopOnePaused(db, settings);
  if (stopped?.kind === 'stopped') {
    if (stopped.refunded > 0) onCredits(stopped.refunded, 'batch-refund');
    if (stopped.hasCallback) wakeCallbacks();
  }
  return stopped !== undefined;
}

export interface HousekeepingOptions extends Pick<Deps, 'log'> {
  readonly tasks: readonly Task[];
  readonly monitor?: JobMonitor | undefined;
  readonly everyMs?: number | undefined;
}

/** Repeats each task for itself: an error or a slow one stops no other. */
export function startHousekeeping({ log, tasks, monitor, everyMs = 5000 }: HousekeepingOptions): Repeated {
  const slots = createSlots({ atOnce: AT_ONCE });
  let isStopped = false;
  const repeated = tasks.map(({ name, step }) => {
    const work = async () => {
      if (!isStopped) await workWithin(LONGEST_MS, async () => (await step()) && !isStopped);
    };
    const report = (error: unknown) =>
      log('warn', 'housekeeping failed', { task: name, ...describeError(error) });
    return repeat(() => slots.run({ id: name }, work), everyMs, report, monitor);
  });
  return {
    async stop() {
      isStopped = true;
      await Promise.all(repeated.map(({ stop }) => stop()));
    },
  };
}
