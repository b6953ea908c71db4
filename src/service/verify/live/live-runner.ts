/** Runs the verifications that this process has started, and records how they end. */
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Verified, Verifier } from '../../../engine/verifier.ts';
import type { VerificationResult } from '../../../protocol/result.ts';
import { within } from '../../../shared/within.ts';
import { describeError } from '../../core/log.ts';
import { isRefunded } from '../../credits/credit-store.ts';
import { isUnavailable } from '../../database/unavailable.ts';
import type { Deps } from '../../deps/deps.ts';
import { type Question, sealOutcome } from './live-question.ts';
import {
  type Ending,
  type Finish,
  GIVEN_BACK,
  refundDead,
  strayVerifications,
  type VerificationCalls,
} from './live-store.ts';

/** How often it tries to record an end while the database is unreachable: for about 40 seconds. */
const MOST_TRIES = 12;

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

export type RunnerDeps = Pick<Deps, 'db' | 'log' | 'processId' | 'settings' | 'onCredits'>;

/** Each process has one. */
export function createRunner(deps: RunnerDeps, verifier: Verifier, calls: VerificationCalls) {
  const { db, log, processId, settings, onCredits } = deps;
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
    const isMine = await finish(entry, !verified || isFree(verified, settings));
    if (!verified) return { kind: 'unfinished' };
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
      reason: verified?.result.reason,
      isPromised,
      hasOutcome: verified !== undefined,
      response: verified && response && { key: response.key, body: response.bodyOf(verified.result) },
    };
    const seal = () => verified && sealOutcome(question, verified);
    const ending = await book({ ...details, outcome: isPromised || isJoined ? seal() : undefined });
    if (ending !== 'outcome needed') return ending === 'ended';
    return (await book({ ...details, outcome: seal() })) === 'ended';
  }

  const giveBack = ({ id, question: { accountId } }: Running): Promise<Ending> =>
    finishOnce({ id, accountId, ...GIVEN_BACK });

  async function book(details: Finish): Promise<Ending> {
    for (let tries = 1; ; tries += 1) {
      try {
        const ending = await finishOnce(details);
        return ending === 'lost' && tries > 1 ? await endOfEarlierTry(details) : ending;
      } catch (error) {
        if (tries === MOST_TRIES || stopped.signal.aborted || !isUnavailable(error)) throw error;
        log('warn', 'verification not finished yet', describeError(error));
      }
      await wait(Math.min(250 * 2 ** (tries - 1), 5000), undefined, { signal: stopped.signal });
    }
  }

  /**
   * What an earlier try has done whose reply was lost. If another process took this one for dead meanwhile, it has given
   * the credit back. Who gives it back anyway needs no charge for the result.
   */
  async function endOfEarlierTry({ id, accountId, givesBack }: Finish): Promise<Ending> {
    return !givesBack && (await isRefunded(db, accountId, id)) ? 'lost' : 'ended';
  }

  return {
    /** How many are announced or running. */
    get count() {
      return entries.size;
    },
    /** Announces a verification before its row is inserted, so that requests that find the row can join. */
    announce(id: string, question: Question, response?: ResponseToStore): Running {
      const entry = createEntry(id, question, response);
      entries.set(id, entry);
      return entry;
    },
    /** Retracts the announcement. Requests that joined start again. */
    retract({ id }: Running): void {
      entries.get(id)?.resolve({ kind: 'lost' });
      entries.delete(id);
    },
    run: ({ id }: Running, timeoutMs: number) => void run(entries.get(id)!, timeoutMs),
    /** Gives back the credit of a verification that nobody waits for any more, before it runs. */
    drop(running: Running): void {
      // If this fails, the housekeeping finds a row that nobody verifies, and gives the credit back.
      giveBack(running).catch((error) => log('warn', 'verification not given back', describeError(error)));
      this.retract(running);
    },
    find: (id: string): Running | undefined => entries.get(id),

    /** Refunds the verifications of dead processes, and those that this process has lost. */
    async refundLost(): Promise<void> {
      for (let refunded = await refundDead(db); refunded > 0; refunded = await refundDead(db))
        onCredits(refunded, 'refund');
      // An entry exists before its row and until the row is deleted, so a row without an entry is lost.
      const stray = await strayVerifications(db, processId, [...entries.keys()]);
      const lost = stray.filter(({ id }) => !entries.has(id));
      const ends = lost.map(({ id, account_id }) => finishOnce({ id, accountId: account_id, ...GIVEN_BACK }));
      await Promise.all(ends);
    },

    /** Waits for running verifications. After `graceMs`, it books the results that are there, and refunds the rest. */
    async stop(graceMs: number): Promise<void> {
      const all = Promise.allSettled([...entries.values()].map(({ outcome }) => outcome));
      await within(graceMs, all);
      stopped.abort();
      await Promise.all(
        [...entries.values()].map(async (entry) => {
          const { verified } = entry;
          // A result may have been sent, so it is charged.
          const ending = verified ? finish(entry, isFree(verified, settings)) : giveBack(entry);
          // Without the database, other processes give it back once this one counts as dead.
          await ending.catch((error: unknown) =>
            log('warn', 'verification not given back', describeError(error)),
          );
          entry.resolve({ kind: 'unfinished' });
        }),
      );
    },
  };
}

/** Whether the credit of a result is given back. */
export const isFree = ({ result }: Verified, { refundUnknown }: Pick<Deps['settings'], 'refundUnknown'>) =>
  result.state === 'unknown' && refundUnknown;

function createEntry(id: string, question: Question, response: ResponseToStore | undefined): Entry {
  let resolve!: Entry['resolve'];
  let reject!: Entry['reject'];
  const outcome = new Promise<Outcome>((onResult, onError) => {
    resolve = onResult;
    reject = onError;
  });
  // All requests may have got their 249 before.
  outcome.catch(() => {});
  const start = { verified: undefined, isPromised: false, isJoined: false };
  return { ...start, id, question, outcome, response, resolve, reject };
}
