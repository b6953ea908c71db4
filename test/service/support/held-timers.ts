/** Timers that never fire by themselves, beside others that do: for tests that cannot stop the whole clock. */
import { beforeEach, vi } from 'vitest';
import { GRACE_MS } from '../../../src/service/core/bounds.ts';

export interface HeldTimers {
  /** The milliseconds of each timer that was set and not cleared, in order. */
  readonly set: readonly number[];
  /** Fires them all. */
  fire(): void;
}

/**
 * Holds timers until they are fired, or the test ends.
 *
 * @param isHeld whether a timer of so many milliseconds is held
 */
export function holdTimers(isHeld: (ms: number) => boolean): HeldTimers {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const held = new Map<unknown, { readonly ms: number; readonly run: () => void }>();
  const setOrHold = (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) => {
    if (!isHeld(ms)) return set(run, ms, ...values);
    // A real one, so that it can be used as such.
    const timer = set(() => {}, 2 ** 31 - 1).unref();
    held.set(timer, { ms, run: () => run(...values) });
    return timer;
  };
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(setOrHold as typeof setTimeout);
  vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    held.delete(timer);
    clear(timer);
  });
  return {
    get set() {
      return [...held.values()].map(({ ms }) => ms);
    },
    fire() {
      const due = [...held];
      held.clear();
      for (const [timer, { run }] of due) {
        clear(timer as NodeJS.Timeout);
        run();
      }
    },
  };
}

/** Holds the timers of the grace in each test of a file, so that the database answers within it on any machine. */
export function holdGrace(): HeldTimers {
  let held: HeldTimers;
  beforeEach(() => {
    held = holdTimers((ms) => ms === GRACE_MS);
  });
  return {
    get set() {
      return held.set;
    },
    fire: () => held.fire(),
  };
}
