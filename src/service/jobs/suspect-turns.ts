/**
 * Runs work that processes died over alone: nothing else of its kind is at work in the process meanwhile. So if it ends
 * the process again, nothing else is suspected. Between two turns, other work goes on for longer than a turn took.
 */
import type { Lease } from '../deps/lease.ts';

/** After this time, a turn begins nothing more. */
const TURN_MS = 5_000;
/** How much longer than a turn the rest is, so that the other work keeps two thirds of its pace. */
const REST = 2;

export interface SuspectTurns {
  /** Whether other work may begin. */
  isOpen(): boolean;
  /**
   * Begins a turn, unless one is going on.
   *
   * @param hasOthers whether other work waits, so that there is a rest after each turn
   */
  begin(hasOthers: boolean): void;
}

export interface SuspectTurnsOptions {
  readonly lease: Pick<Lease, 'runSuspect'>;
  /** What is at work. The turn waits for it. */
  readonly atWork: ReadonlySet<Promise<void>>;
  /** Claims one and runs it. @returns false if there is none */
  readonly runNext: () => Promise<boolean>;
  /** Called after each turn. */
  readonly resume: () => void;
  readonly onError: (error: unknown) => void;
  /** A clock that is never set back, in milliseconds. */
  readonly now?: () => number;
}

export function createSuspectTurns(options: SuspectTurnsOptions): SuspectTurns {
  const { lease, atWork, runNext, resume, onError, now = () => performance.now() } = options;
  let isOpen = true;
  let restUntil = Number.NEGATIVE_INFINITY;

  async function take(): Promise<void> {
    const began = now();
    try {
      await Promise.all(atWork);
      while (await lease.runSuspect(runNext)) if (now() - began >= TURN_MS) break;
    } finally {
      restUntil = now() + REST * (now() - began);
      isOpen = true;
      resume();
    }
  }

  return {
    isOpen: () => isOpen,
    begin(hasOthers) {
      if (!isOpen || (hasOthers && now() < restUntil)) return;
      isOpen = false;
      take().catch(onError);
    },
  };
}
