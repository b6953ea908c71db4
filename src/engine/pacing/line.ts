/** A queue for one organisation, in order of arrival. */
import type { PaceLimits } from './pace.ts';
import type { HeldBack, Slot } from './pacing.ts';

export interface Waiter {
  readonly limits: PaceLimits;
  /** Its time of arrival, in milliseconds of the line's clock. */
  readonly since: number;
}

export interface Line {
  readonly length: number;
  /** What held the line back last. */
  readonly reason: HeldBack;
  /** The first waiters, at most so many. */
  first(most: number): Waiter[];
  /** Resolves with a slot, or with what holds it back if the wait would be in vain or the signal aborts. */
  join(limits: PaceLimits, withinMs: number, signal: AbortSignal): Promise<Slot | HeldBack>;
  /** Gives the slot to the first waiter. @returns `false` if the line is empty */
  admit(slot: Slot): boolean;
  /** Dismisses waiters who would wait in vain. @param until when the reason ends, or 0 if that is not known */
  holdBack(reason: HeldBack, until: number): void;
  /** Dismisses all waiters. */
  dismiss(): void;
}

interface Entry extends Waiter {
  readonly until: number;
  settle(value: Slot | HeldBack): void;
}

/** @param onGone called when a waiter has given up, because the next one may have other limits */
export function createLine(now: () => number, onGone: () => void): Line {
  // A set keeps the order, and waiters who give up leave at once.
  const entries = new Set<Entry>();
  // The reason for waiters who give up before anything held them back.
  let reason: HeldBack = 'connections';
  let knownUntil = 0;
  const settleAll = (isConcerned: (entry: Entry) => boolean) => {
    for (const entry of [...entries]) if (isConcerned(entry)) entry.settle(reason);
  };
  return {
    get length() {
      return entries.size;
    },
    get reason() {
      return reason;
    },
    first(most) {
      const found: Entry[] = [];
      for (const entry of entries) {
        if (found.length === most) break;
        found.push(entry);
      }
      return found;
    },
    join: (limits, withinMs, signal) =>
      new Promise((resolve) => {
        const since = now();
        const isInVain = entries.size > 0 && knownUntil > since + withinMs;
        if (signal.aborted || isInVain) return resolve(reason);
        const giveUp = () => {
          entry.settle(reason);
          onGone();
        };
        const entry: Entry = {
          ...{ limits, since, until: since + withinMs },
          settle(value) {
            entries.delete(entry);
            signal.removeEventListener('abort', giveUp);
            resolve(value);
          },
        };
        signal.addEventListener('abort', giveUp, { once: true });
        entries.add(entry);
      }),
    admit(slot) {
      const [entry] = entries;
      entry?.settle(slot);
      return entry !== undefined;
    },
    holdBack(why, until) {
      reason = why;
      knownUntil = until;
      settleAll((entry) => until > entry.until);
    },
    dismiss: () => settleAll(() => true),
  };
}
