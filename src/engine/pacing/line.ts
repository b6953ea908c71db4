/** Those who wait for one organisation in the same way, in the order in which they came. */
import type { PaceLimits } from './pace.ts';
import type { HeldBack, Slot } from './pacing.ts';

export interface Waiter {
  readonly limits: PaceLimits;
  /** When it came, in milliseconds of the line's clock. */
  readonly since: number;
}

export interface Line {
  readonly length: number;
  /** What held it back last. */
  readonly reason: HeldBack;
  /** The first ones, at most so many. */
  first(most: number): Waiter[];
  /** Resolves when it is admitted, or with what holds it back when waiting is in vain or the signal aborts. */
  join(limits: PaceLimits, withinMs: number, signal: AbortSignal): Promise<Slot | HeldBack>;
  /** Gives the first one its slot. @returns false if nobody waits */
  admit(slot: Slot): boolean;
  /** Sends those away who would wait in vain. @param until when it ends, 0 if that is not known */
  holdBack(reason: HeldBack, until: number): void;
  /** Sends all away. */
  dismiss(): void;
}

interface Entry extends Waiter {
  readonly until: number;
  settle(value: Slot | HeldBack): void;
}

/** @param onGone called when someone has given up. The next one may have other limits. */
export function createLine(now: () => number, onGone: () => void): Line {
  // Sets keep the order, and those who give up leave at once.
  const entries = new Set<Entry>();
  // Nobody has been held back yet: who gives up now has not got a connection.
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
