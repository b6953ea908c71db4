/**
 * Refuses live verifications that this process cannot do in time, at once and before they cost anything. Without it,
 * everybody would wait longer and longer, and the results would come after the callers have left.
 *
 * Two things bound it. The number of verifications bounds the memory that they take. How long they wait to begin tells
 * whether this process and the database keep up, whatever the machine is.
 */
import { Failure } from '../../failures.ts';
import type { Log } from '../../log.ts';

/** How long the latest beginnings may wait. On an idle machine, they wait for some milliseconds. */
const LONGEST_WAIT_MS = 300;
/**
 * So many begin however long it takes. They are no rush: something else holds them up then, such as a large batch, and
 * it must not keep single verifications out.
 */
const FEW = 100;
/** Enough to catch up. */
const RETRY_AFTER_S = 1;
/** One line in the log tells of all refusals of such a time. */
const QUIET_MS = 10_000;

export interface Admission {
  /**
   * Throws unless another verification may begin.
   *
   * @throws {Failure} 503 with `Retry-After`
   */
  expectRoom(): void;
  /** Runs a beginning, and takes note of how long it waits. */
  watch<Result>(begin: () => Promise<Result>): Promise<Result>;
}

export interface AdmissionOptions {
  /** How many verifications this process has at once. */
  readonly concurrency: number;
  /** How many it has now. */
  readonly running: () => number;
  readonly log: Log;
  /** Milliseconds of a clock that is never set. @default performance.now */
  readonly now?: (() => number) | undefined;
}

/** Each process has one. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { concurrency, running, log, now = () => performance.now() } = options;
  /** When those came that wait to begin, in this order. */
  const waiting = new Set<{ readonly since: number }>();
  let quietUntil = Number.NEGATIVE_INFINITY;

  /** What stands in the way of another one. */
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
        // What waits from before it is held up by something of its own, such as the lock of its account.
        for (const one of waiting) {
          if (one.since > own.since) break;
          waiting.delete(one);
        }
      }
    },
  };
}
