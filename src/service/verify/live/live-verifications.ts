/** Live verifications: one credit and one conversation per question, even if many requests and processes ask it. */
import { randomUUID } from 'node:crypto';
import type { Verified, Verifier } from '../../../engine/verifier.ts';
import { within } from '../../../shared/within.ts';
import { GRACE_MS } from '../../core/bounds.ts';
import type { MissingInRequest } from '../../credits/missing-credits.ts';
import { databaseFailure } from '../../database/database-failure.ts';
import type { Deps } from '../../deps/deps.ts';
import { readSecondsToMidnight } from '../../limits/limit-store.ts';
import type { RateCount } from '../../limits/rate-limit.ts';
import { deadlineAfter as afterTimeout, type Deadline } from './deadline.ts';
import { createAdmission } from './live-admission.ts';
import { asTyped, openOutcome, type Question, questionDigest } from './live-question.ts';
import {
  createRunner,
  isFree,
  type Outcome,
  type ResponseToStore,
  type RunnerDeps,
  type Running,
} from './live-runner.ts';
import {
  type Beginning,
  type Begun,
  coalesceCalls,
  findRecallable,
  type Payer,
  promiseResult,
} from './live-store.ts';
import { createWaitForOther } from './wait-for-others.ts';

const LONGEST_STOP_MS = 15_000;

export interface LiveOptions {
  readonly verifier: Verifier;
  /** How often to check the verifications of other processes. */
  readonly pollEveryMs?: number;
  /** Makes the deadlines of requests. @default by their timeouts */
  readonly deadlineAfter?: ((timeoutMs: number) => Deadline) | undefined;
}

export interface LiveRequest extends Question {
  /** How long the caller waits. The verification continues after that. */
  readonly timeoutMs: number;
  /** Whether the request has a public key. Missing credits are then not paid. @default false */
  readonly isPublic?: boolean;
  /** Counts the request in the same round trip. */
  readonly rate?: { readonly endpoint: string; readonly limit: number } | undefined;
  /** The public key that spends the credit. */
  readonly payer?: Payer | undefined;
  /** Stores the response together with the result. */
  readonly response?: ResponseToStore | undefined;
  /** Keeps the result as after a 249: the same question is free for a while, and `recall` finds it. @default false */
  readonly isKept?: boolean;
}

/** The state of an earlier question. `gone`: it is neither running nor kept. */
export type Recalled = (Verified & { readonly kind: 'result' }) | { readonly kind: 'running' | 'gone' };

/** `rate` is set if the request asked for it. */
export type LiveAnswer = { readonly rate?: RateCount | undefined } & (
  | (Verified & {
      readonly kind: 'result';
      /** Whether the `response` of the request was stored together with the result. */
      readonly isResponseStored: boolean;
    })
  | { readonly kind: 'try-again' | 'rate-exceeded' | 'no-account' }
  /** `secondsToReset`: until its next day. */
  | { readonly kind: 'key-spent'; readonly secondsToReset: number }
  | ({ readonly kind: 'no-credits' } & MissingInRequest)
);

export type LiveVerifications = ReturnType<typeof createLiveVerifications>;

/** Each process has one. The settings have a section `live`. */
export function createLiveVerifications(
  deps: RunnerDeps & Pick<Deps, 'billing' | 'lease'>,
  { verifier, pollEveryMs = 100, deadlineAfter = afterTimeout }: LiveOptions,
) {
  const { db, log, processId, lease, settings, billing, onCredits } = deps;
  const calls = coalesceCalls(db, { processId, keepSeconds: settings.durations.verifyAgain });
  const runner = createRunner(deps, verifier, calls);
  let requests = 0;
  const admission = createAdmission({
    concurrency: settings.live!.concurrency,
    // Some continue after their request, and some requests share one.
    running: () => Math.max(requests, runner.count),
    held: calls.held,
    log,
  });
  const settled = createWaitForOther(
    db,
    ({ id, process_id, is_alive }) => !is_alive || (process_id === processId && !runner.find(id)),
    pollEveryMs,
    log,
  );

  /**
   * Inserts a row and starts the verification, or returns why not.
   *
   * @throws {Failure} 503 if the database does not do so in time. A credit that it takes afterwards is given back
   */
  async function begin(
    request: LiveRequest,
    deadline: Deadline,
    more: Pick<Beginning, 'rate' | 'orphanId'>,
  ): Promise<Begun> {
    const { accountId, address, smtp, acceptAll, timeoutMs, response, payer, isKept = false } = request;
    const question: Question = { accountId, address, smtp, acceptAll };
    const running = runner.announce(randomUUID(), question, response);
    running.isPromised = isKept;
    let isLate = false;
    const isWanted = () => !isLate;
    const start = async (): Promise<Begun> => {
      let begun: Begun | undefined;
      try {
        await lease.expectHeld();
        begun = await admission.measure((onHeld) =>
          calls.begin({
            ...{ id: running.id, accountId, question: questionDigest(question), payer },
            ...{ isWanted, onHeld },
            ...more,
          }),
        );
        return begun;
      } finally {
        if (begun?.answer !== 'started') runner.retract(running);
        else {
          onCredits(-1, 'verification');
          if (isWanted()) runner.run(running, timeoutMs);
          else runner.drop(running);
        }
      }
    };
    const starting = start();
    const begun = await Promise.race([
      starting,
      deadline.passed.then((late) => within(GRACE_MS, starting, late)),
    ]);
    if (begun !== 'late') return begun;
    isLate = true;
    throw databaseFailure('limit');
  }

  /** Waits for a verification of this process. */
  async function waitForOwn(running: Running, deadline: Deadline, isOwner: boolean): Promise<Outcome> {
    if (!isOwner) running.isJoined = true;
    const first = await Promise.race([running.outcome, deadline.passed]);
    if (first !== 'late') return first;
    const { verified } = running;
    if (verified) {
      const outcome = await within(GRACE_MS, running.outcome);
      if (outcome) return outcome;
      // If this process dies before the end is booked, the others give the credit back, and the result was free.
      if (!isFree(verified, settings))
        log('warn', 'result sent before it was booked', { verification: running.id });
      return { kind: 'result', verified };
    }
    running.isPromised = true;
    // The key of this request is free again after the 249, and another request may use it.
    if (isOwner) running.response = undefined;
    return { kind: 'unfinished' };
  }

  /** Waits for a verification of another process. */
  async function waitForOther(id: string, question: Question, deadline: Deadline): Promise<Outcome> {
    const first = await Promise.race([settled(id, deadline.signal), deadline.passed]);
    if (first === undefined) return { kind: 'lost' };
    const sealed = first === 'late' ? await within(GRACE_MS, promiseResult(db, id)) : first;
    return sealed ? { kind: 'result', verified: openOutcome(question, sealed) } : { kind: 'unfinished' };
  }

  /** Rejects if the verifier or the database fails, or if there is no room. The request then costs no credit. */
  async function verify(request: LiveRequest): Promise<LiveAnswer> {
    admission.expectRoom(request.accountId);
    requests += 1;
    let deadline = deadlineAfter(request.timeoutMs);
    let orphanId: string | undefined;
    let rate: RateCount | undefined;
    let missingSince: number | undefined;
    try {
      while (!deadline.isPassed) {
        // The request counts once, even if it starts several times.
        const begun = await begin(request, deadline, { orphanId, rate: rate ? undefined : request.rate });
        rate ??= begun.rate;
        switch (begun.answer) {
          case 'rate exceeded':
            return { kind: 'rate-exceeded', rate };
          case 'no account':
            return { kind: 'no-account', rate };
          case 'key spent':
            return { kind: 'key-spent', secondsToReset: await readSecondsToMidnight(db), rate };
          case 'kept':
            return { kind: 'result', ...openOutcome(request, begun.outcome), isResponseStored: false, rate };
          case 'no credits': {
            // Less than one, and never negative.
            const available = 0;
            const missing = { kind: 'no-credits', needed: 1, available, rate } as const;
            if (!billing) return missing;
            missingSince ??= performance.now();
            const { accountId, isPublic } = request;
            // Who waits for a payment takes no room, so that accounts without credits do not keep others out.
            requests -= 1;
            const reply = await billing
              .ask({ accountId, needed: 1, available, since: missingSince, isPublic })
              .finally(() => {
                requests += 1;
              });
            if (reply.kind === 'refused') return { ...missing, message: reply.message };
            // The timeout bounds the verification, not the payment.
            deadline.clear();
            deadline = deadlineAfter(request.timeoutMs);
            break;
          }
          default: {
            const { id, answer } = begun;
            const own = runner.find(id);
            const isOwner = answer === 'started';
            // If it has ended meanwhile, the result comes as for joined requests.
            if (request.isKept && !isOwner) await within(GRACE_MS, promiseResult(db, id));
            const outcome = own
              ? await waitForOwn(own, deadline, isOwner)
              : await waitForOther(id, request, deadline);
            if (outcome.kind === 'result') {
              const isResponseStored = isOwner && outcome.isResponseStored === true;
              const verified = asTyped(outcome.verified, request.address);
              return { kind: 'result', ...verified, isResponseStored, rate };
            }
            if (outcome.kind === 'unfinished') return { kind: 'try-again', rate };
            orphanId = id;
          }
        }
      }
      return { kind: 'try-again', rate };
    } finally {
      requests -= 1;
      deadline.clear();
    }
  }

  /** Looks up the result of a question without asking it. It costs no credit and does not wait. */
  async function recall({ accountId, address, smtp, acceptAll }: Question): Promise<Recalled> {
    const question: Question = { accountId, address, smtp, acceptAll };
    const found = await findRecallable(db, accountId, questionDigest(question));
    if (found?.outcome) return { kind: 'result', ...openOutcome(question, found.outcome) };
    // The credit of a dead process's verification is given back within seconds.
    return { kind: found?.is_alive ? 'running' : 'gone' };
  }

  return {
    /**
     * Throws if this process has no room for another verification of the account. A request that spends something before
     * `verify`, such as a captcha token, calls this first.
     *
     * @throws {Failure} 503
     */
    expectRoom: admission.expectRoom,
    verify,
    recall,
    /** Refunds the verifications of dead processes. Called by the housekeeping. */
    refundLost: runner.refundLost,
    /** Waits for running verifications, and refunds the rest after `graceMs`. Call it when no request is open. */
    stop: (graceMs = LONGEST_STOP_MS) => runner.stop(graceMs),
  };
}
