/**
 * Begins work that processes died over alone: nothing else of its kind begins in the process meanwhile. So if it soon ends
 * the process again, nothing else is suspected. Between two turns, other work goes on for longer than a turn took.
 *
 * What takes long waits for a silent server. The others do not wait with it: a turn begins beside what has been at work
 * for long, and is over when its own work takes long. The next turn waits for that.
 */
import { within } from '../../shared/within.ts';
import type { Lease } from '../deps/lease.ts';

/** After this time, a turn begins nothing more. */
const TURN_MS = 5_000;
/** How much longer than a turn the rest is, so that the other work keeps two thirds of its pace. */
const REST = 2;
/** What takes more time waits for a silent server. */
const LONG_MS = 2_000;

export interface SuspectTurnsOptions {
  readonly lease: Pick<Lease, 'runSuspect'>;
  /** What is at work. The turn waits for it, unless it takes long. */
  readonly atWork: ReadonlySet<Promise<void>>;
  /** Claims one, calls `onClaimed`, and runs it. @returns false if there is none */
  readonly runNext: (onClaimed: () => void) => Promise<boolean>;
  /** Called after each turn. */
  readonly resume: () => void;
  readonly onError: (error: unknown) => void;
  readonly longMs?: number | undefined;
  /** A clock that is never set back, in milliseconds. */
  readonly now?: () => number;
}

export function createSuspectTurns(options: SuspectTurnsOptions) {
  const { lease, atWork, runNext, resume, onError } = options;
  const { longMs = LONG_MS, now = () => performance.now() } = options;
  let isOpen = true;
  /** Whether one of an earlier turn still runs. A second one beside it would be suspected with it. */
  let isLong = false;
  /** Whether a claim is on its way. A turn may be over before the database answers. */
  let isClaiming = false;
  let restUntil = Number.NEGATIVE_INFINITY;

  async function take(): Promise<void> {
    const began = now();
    try {
      await within(longMs, Promise.all(atWork));
      while (await runOne()) if (now() - began >= TURN_MS) break;
    } finally {
      restUntil = now() + REST * (now() - began);
      isOpen = true;
      resume();
    }
  }

  /** @returns whether the turn may go on */
  async function runOne(): Promise<boolean> {
    let isOver = false;
    // It may have to wait for a suspect of another kind. When the turn is over, it does not begin any more.
    const run = lease.runSuspect(async () => !isOver && claimAndRun());
    isLong = true;
    const ended = run.finally(() => {
      isLong = false;
    });
    const mayGoOn = await within(longMs, ended, false);
    isOver = true;
    if (isLong) ended.catch(onError);
    return mayGoOn;
  }

  function claimAndRun(): Promise<boolean> {
    const claimed = () => {
      isClaiming = false;
    };
    isClaiming = true;
    return runNext(claimed).finally(claimed);
  }

  return {
    /** Whether other work may begin. */
    isOpen: () => isOpen,
    /** Whether a claim may be there that the worker does not know yet, so that it must not be released as unknown. */
    isClaiming: () => isClaiming,
    /**
     * Begins a turn, unless one is going on.
     *
     * @param hasOthers whether other work waits, so that there is a rest after each turn
     */
    begin(hasOthers: boolean): void {
      if (!isOpen || isLong || (hasOthers && now() < restUntil)) return;
      isOpen = false;
      take().catch(onError);
    },
  };
}
