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
/** Long enough to catch up. */
const RETRY_AFTER_S = 1;
/** The log has one line for all refusals within this time. */
const QUIET_MS = 10_000;

export interface Admission {
  /**
   * Throws unless another verification may begin.
   *
   * @throws {Failure} 503 with `Retry-After`
   */
  expectRoom(): void;
  /** Runs a start, and measures how long it waits. */
  watch<Result>(begin: () => Promise<Result>): Promise<Result>;
}

export interface AdmissionOptions {
  /** How many verifications this process has at once. */
  readonly concurrency: number;
  /** How many are running now. */
  readonly running: () => number;
  readonly log: Log;
  /** A monotonic clock in milliseconds. @default performance.now */
  readonly now?: (() => number) | undefined;
}

/** Each process has one. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { concurrency, running, log, now = () => performance.now() } = options;
  /** When the waiting verifications came, in order. */
  const waiting = new Set<{ readonly since: number }>();
  let quietUntil = Number.NEGATIVE_INFINITY;

  /** Why another one cannot start. */
  function whyFull(): string | undefined {
    if (running() >= concurrency) return 'live.concurrency';
    const [oldest] = waiting;
    if (!oldest || running() < FEW) return undefined;
    return now() - oldest.since > LONGEST_WAIT_MS ? 'slow beginnings' : undefined;
  }

  return {
    expectRoom() {
      const reason = whyFull();
      if (reason === undefined) return;
      if (now() >= quietUntil) {
        quietUntil = now() + QUIET_MS;
        log('warn', 'live verifications refused', { reason, running: running(), waiting: waiting.size });
      }
      throw new Failure('liveBusy', undefined, { 'Retry-After': String(RETRY_AFTER_S) });
    },
    async watch(begin) {
      const own = { since: now() };
      waiting.add(own);
      try {
        return await begin();
      } finally {
        // An earlier one that still waits has its own obstacle, such as the lock of its account.
        for (const one of waiting) {
          if (one.since > own.since) break;
          waiting.delete(one);
        }
      }
    },
  };
}
