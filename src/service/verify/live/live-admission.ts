/**
 * Refuses live verifications that this process cannot finish in time, at once and before they cost a credit. Otherwise,
 * all waits would grow, and results would come after the callers have left.
 *
 * There are two limits. The number of verifications limits the memory. The wait before they start shows whether this
 * process and the database keep up, on any machine.
 */
import { Failure } from '../../core/failures.ts';
import type { Log } from '../../core/log.ts';

/** How long starting verifications may wait. On an idle machine, they wait for a few milliseconds. */
const LONGEST_WAIT_MS = 300;
/**
 * Up to this number may always start. So few are not an overload, so the delay has another cause, such as a large
 * batch, which must not block single verifications.
 */
const FEW = 100;
/** The largest share of a process that one account may have while it is locked. The others need the rest. */
const HELD_SHARE = 1 / 10;
/** Long enough to catch up. */
const RETRY_AFTER_S = 1;
/** The log has one line for all refusals within this time. */
const QUIET_MS = 10_000;

interface AdmissionOptions {
  /** How many verifications this process has at once. */
  readonly concurrency: number;
  /** How many are running now. */
  readonly running: () => number;
  /** How many of them wait for a locked account, or for this one. */
  readonly held: (accountId?: string) => number;
  readonly log: Log;
  /** A monotonic clock in milliseconds. @default performance.now */
  readonly now?: (() => number) | undefined;
}

/** Each process has one. */
export function createAdmission(options: AdmissionOptions) {
  const { concurrency, held, log, now = () => performance.now() } = options;
  const running = () => options.running() - held();
  /** When the waiting verifications came, in order. */
  const waiting = new Set<{ readonly since: number }>();
  let quietUntil = Number.NEGATIVE_INFINITY;

  /** Why another one cannot start. */
  function whyFull(accountId: string): string | undefined {
    if (running() >= concurrency) return 'live.concurrency';
    if (held(accountId) >= concurrency * HELD_SHARE) return 'locked account';
    const [oldest] = waiting;
    if (!oldest || running() < FEW) return undefined;
    return now() - oldest.since > LONGEST_WAIT_MS ? 'slow beginnings' : undefined;
  }

  return {
    /**
     * Throws unless another verification of the account may begin.
     *
     * @throws {Failure} 503 with `Retry-After`
     */
    expectRoom(accountId: string): void {
      const reason = whyFull(accountId);
      if (reason === undefined) return;
      if (now() >= quietUntil) {
        quietUntil = now() + QUIET_MS;
        log('warn', 'live verifications refused', { reason, running: running(), waiting: waiting.size });
      }
      throw new Failure('liveBusy', undefined, { 'Retry-After': String(RETRY_AFTER_S) });
    },
    /** Runs a start, and measures how long it waits, unless it calls `onHeld`: the account has its own obstacle. */
    async measure<Result>(begin: (onHeld: () => void) => Promise<Result>): Promise<Result> {
      const own = { since: now() };
      waiting.add(own);
      try {
        return await begin(() => waiting.delete(own));
      } finally {
        // An earlier one that still waits has its own obstacle, such as a connection that is silent.
        for (const one of waiting) {
          if (one.since > own.since) break;
          waiting.delete(one);
        }
      }
    },
  };
}
