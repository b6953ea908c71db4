/** Runs the verifications that this process has started, and records how they end. */
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Verified, Verifier } from '../../../engine/verifier.ts';
import type { VerificationResult } from '../../../protocol/result.ts';
import { describeError } from '../../core/log.ts';
import { isUnavailable } from '../../database/unavailable.ts';
import type { Deps } from '../../deps/deps.ts';
import { type Question, sealOutcome } from './live-question.ts';
import { type Ending, type Finish, refundDead, runningOf, type VerificationCalls } from './live-store.ts';

/** How often it tries to record an end while the database is unreachable: for about 40 seconds. */
const MOST_TRIES = 12;

/** The end of an abandoned verification. */
const GIVEN_BACK = { givesBack: true, isPromised: false, hasOutcome: false } as const;

/** The response to store with the result, for an `Idempotency-Key`. */
export interface ResponseToStore {
  readonly key: string;
  /** The body of the response with this result. */
  readonly bodyOf: (result: VerificationResult) => string;
}

/** The outcome of a verification for the waiting requests. */
export type Outcome =
  | { readonly kind: 'result'; readonly verified: Verified; readonly isResponseStored?: boolean }
  /** There is no result, and the credit was given back. */
  | { readonly kind: 'unfinished' }
  /** Another process considered this one dead and gave the credit back. */
  | { readonly kind: 'lost' };

/** A verification, from before its row is inserted until its end is recorded. */
export interface Running {
  readonly id: string;
  readonly question: Question;
  /** Rejects if the verifier fails. */
  readonly outcome: Promise<Outcome>;
  /** Set once the verifier has returned. From then on, no request gets a 249. */
  verified: Verified | undefined;
  /** Whether a request got a 249. */
  isPromised: boolean;
  /** Whether another request of this process joined. Only the database knows about requests of other processes. */
  isJoined: boolean;
  response: ResponseToStore | undefined;
}

interface Entry extends Running {
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export type RunnerDeps = Pick<Deps, 'db' | 'log' | 'processId' | 'settings' | 'usage' | 'onCredits'>;

export interface Runner {
  /** How many are announced or running. */
  readonly count: number;
  /** Announces a verification before its row is inserted, so that requests that find the row can join. */
  announce(id: string, question: Question, response?: ResponseToStore): Running;
  /** Retracts the announcement. Requests that joined start again. */
  retract(running: Running): void;
  run(running: Running, timeoutMs: number): void;
  find(id: string): Running | undefined;
  /** Refunds the verifications of dead processes, and those that this process has lost. */
  refundLost(): Promise<void>;
  /** Waits for running verifications, and refunds the rest after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Each process has one. */
export function createRunner(deps: RunnerDeps, verifier: Verifier, calls: VerificationCalls): Runner {
  const { db, log, processId, settings, usage, onCredits } = deps;
  const entries = new Map<string, Entry>();
  const stopped = new AbortController();
  // Each verification whose end is not stored yet adds a listener.
  setMaxListeners(0, stopped.signal);

  async function finishOnce(details: Finish): Promise<Ending> {
    const ending = await calls.finish(details);
    if (ending === 'ended' && details.givesBack) onCredits(1, 'refund');
    return ending;
  }

  async function run(entry: Entry, timeoutMs: number): Promise<void> {
    try {
      entry.resolve(await end(entry, await ask(entry, timeoutMs)));
    } catch (error) {
      entry.reject(error);
    } finally {
      // If the end was not recorded, the housekeeping finds the row and gives the credit back.
      entries.delete(entry.id);
    }
  }

  async function ask(entry: Entry, timeoutMs: number): Promise<Verified | undefined> {
    const { address, smtp, acceptAll } = entry.question;
    try {
      const verified = await verifier({ address, smtp, acceptAll, timeoutMs });
      return verified.result ? verified : await verified.later;
    } catch (error) {
      await finish(entry, true);
      throw error;
    }
  }

  async function end(entry: Entry, verified: Verified | undefined): Promise<Outcome> {
    entry.verified = verified;
    const isFree = !verified || (verified.result.state === 'unknown' && settings.refundUnknown);
    const isMine = await finish(entry, isFree);
    if (!verified) return { kind: 'unfinished' };
    // The process that considered this one dead has started the verification again, and counts that one.
    if (isMine) usage.countResult(entry.question.accountId, 'verify', 'live', verified.result.reason);
    return isMine
      ? { kind: 'result', verified, isResponseStored: entry.response !== undefined }
      : { kind: 'lost' };
  }

  /**
   * Sealing the outcome is expensive, and only requests that joined or got a 249 need it. So it is omitted until the
   * database requests it, unless it is known to be needed.
   */
  async function finish(entry: Entry, givesBack: boolean): Promise<boolean> {
    const { id, question, isPromised, isJoined, verified, response } = entry;
    const details: Finish = {
      id,
      accountId: question.accountId,
      givesBack,
      isPromised,
      hasOutcome: verified !== undefined,
      response: verified && response && { key: response.key, body: response.bodyOf(verified.result) },
    };
    const seal = () => verified && sealOutcome(question, verified);
    const ending = await book({ ...details, outcome: isPromised || isJoined ? seal() : undefined });
    if (ending !== 'outcome needed') return ending === 'ended';
    return (await book({ ...details, outcome: seal() })) === 'ended';
  }

  async function book(details: Finish): Promise<Ending> {
    for (let tries = 1; ; tries += 1) {
      try {
        const ending = await finishOnce(details);
        // If only the reply to an earlier try was lost, this try finds no row.
        return ending === 'lost' && tries > 1 ? 'ended' : ending;
      } catch (error) {
        if (tries === MOST_TRIES || stopped.signal.aborted || !isUnavailable(error)) throw error;
        log('warn', 'verification not finished yet', describeError(error));
      }
      await wait(Math.min(250 * 2 ** (tries - 1), 5000), undefined, { signal: stopped.signal });
    }
  }

  return {
    get count() {
      return entries.size;
    },
    announce(id, question, response) {
      const entry = createEntry(id, question, response);
      entries.set(id, entry);
      return entry;
    },
    retract({ id }) {
      entries.get(id)?.resolve({ kind: 'lost' });
      entries.delete(id);
    },
    run: ({ id }, timeoutMs) => void run(entries.get(id)!, timeoutMs),
    find: (id) => entries.get(id),

    async refundLost() {
      for (let found = 100; found === 100; ) {
        const dead = await refundDead(db);
        if (dead.refunded > 0) onCredits(dead.refunded, 'refund');
        found = dead.found;
      }
      // An entry exists before its row and until the row is deleted, so a row without an entry is lost.
      for (const { id, account_id } of await runningOf(db, processId)) {
        if (entries.has(id)) continue;
        await finishOnce({ id, accountId: account_id, ...GIVEN_BACK });
      }
    },

    async stop(graceMs) {
      const all = Promise.allSettled([...entries.values()].map(({ outcome }) => outcome));
      const over = new AbortController();
      await Promise.race([all, wait(graceMs, undefined, { signal: over.signal }).catch(() => {})]);
      over.abort();
      stopped.abort();
      for (const entry of entries.values()) {
        const { id, question } = entry;
        // Without the database, other processes give it back once this one counts as dead.
        await finishOnce({ id, accountId: question.accountId, ...GIVEN_BACK }).catch((error) =>
          log('warn', 'verification not given back', describeError(error)),
        );
        entry.resolve({ kind: 'unfinished' });
      }
    },
  };
}

function createEntry(id: string, question: Question, response: ResponseToStore | undefined): Entry {
  let resolve!: Entry['resolve'];
  let reject!: Entry['reject'];
  const outcome = new Promise<Outcome>((onResult, onError) => {
    resolve = onResult;
    reject = onError;
  });
  // All requests may have got their 249 before.
  outcome.catch(() => {});
  return {
    id,
    question,
    outcome,
    verified: undefined,
    isPromised: false,
    isJoined: false,
    response,
    resolve,
    reject,
  };
}
