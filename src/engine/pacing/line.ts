/** A queue for one organisation, in order of arrival. */

import type { Signal } from '../signal.ts';
import type { PaceLimits } from './pace.ts';
import type { HeldBack, Slot } from './pacing.ts';

export interface Waiter {
  readonly limits: PaceLimits;
  /** Its time of arrival, in milliseconds of the line's clock. */
  readonly since: number;
}

export type Line = ReturnType<typeof createLine>;

interface Entry extends Waiter {
  readonly until: number;
  settle(value: Slot | HeldBack): void;
}

/** @param onGone called when a waiter has given up, because the next one may have other limits */
export function createLine(now: () => number, onGone: () => void) {
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
    /** What held the line back last. */
    get reason() {
      return reason;
    },
    /** The first waiters, at most so many. */
    first(most: number): Waiter[] {
      const found: Entry[] = [];
      for (const entry of entries) {
        if (found.length === most) break;
        found.push(entry);
      }
      return found;
    },
    /** Resolves with a slot, or with what holds it back if the wait would be in vain or the signal aborts. */
    join: (limits: PaceLimits, withinMs: number, signal: Signal) =>
      new Promise<Slot | HeldBack>((resolve) => {
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
        signal.addEventListener('abort', giveUp);
        entries.add(entry);
      }),
    /** Gives the slot to the first waiter. @returns `false` if the line is empty */
    admit(slot: Slot): boolean {
      const [entry] = entries;
      entry?.settle(slot);
      return entry !== undefined;
    },
    /** Dismisses waiters who would wait in vain. @param until when the reason ends, or 0 if that is not known */
    holdBack(why: HeldBack, until: number): void {
      reason = why;
      knownUntil = until;
      settleAll((entry) => until > entry.until);
    },
    /** Dismisses all waiters. */
    dismiss: () => settleAll(() => true),
  };
}
