/**
 * A clock that stands still until a test moves it. Sockets go on: a test waits for what a server was sent, moves the clock
 * to the deadline, and so proves the deadline to the millisecond, without waiting for it.
 */
import { beforeAll, onTestFinished, vi } from 'vitest';

export interface Clock {
  /** Milliseconds since the clock was stopped. */
  readonly at: number;
  /** Moves the clock. Sockets have their turn before and after. */
  advance(ms: number): Promise<void>;
  /**
   * Moves the clock until the work is done. Sockets have their turn at every step.
   *
   * @param latest how far the clock may move. At that point, it stands still until the work is done
   * @throws if the work takes longer than anything here may
   */
  run<Value>(work: Promise<Value>, latest?: () => number): Promise<Value>;
}

/** The clock moves in steps of so many milliseconds, so that what a timer starts can set the next one. */
const STEP_MS = 10;
/** A question and its answer take two turns of the event loop. */
const TURNS = 4;
/** Longer than any time limit of the engine. */
const LONGEST_MS = 60_000;

let stopped: Clock | undefined;

/** Stops the clock until the test ends. What was started before keeps its real timers. */
export function stopClock(): Clock {
  const clock = stop();
  onTestFinished(goOn);
  return clock;
}

/** Stops the clock for all tests of a file. Call it before the hooks that start something. */
export function stopClockInFile(): Clock {
  let clock: Clock;
  beforeAll(() => {
    clock = stop();
    return goOn;
  });
  return {
    get at() {
      return clock.at;
    },
    advance: (ms) => clock.advance(ms),
    run: (work, latest) => clock.run(work, latest),
  };
}

/** Resolves with the work. A clock that stands still is moved until then. */
export const ended = <Value>(work: Promise<Value>): Promise<Value> => stopped?.run(work) ?? work;

/** Whether the work goes on, after sockets had their turn. */
export async function isPending(work: Promise<unknown>): Promise<boolean> {
  const goesOn = watch(work);
  await turns();
  return goesOn();
}

function goOn(): void {
  stopped = undefined;
  vi.useRealTimers();
}

function stop(): Clock {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let at = 0;
  /** For what the clock moves, and how far at most. */
  const reasons = new Set<() => number>();
  let isMoving = false;
  async function step(ms: number): Promise<void> {
    at += ms;
    vi.advanceTimersByTime(ms);
    await turns();
  }
  /** One loop for all works, so that several do not make the clock faster. */
  async function move(): Promise<void> {
    isMoving = true;
    await turns();
    while (reasons.size > 0 && stopped === clock) {
      const ms = Math.min(STEP_MS, ...[...reasons].map((latest) => latest() - at));
      await (ms > 0 ? step(ms) : turns());
    }
    isMoving = false;
  }
  const clock: Clock = {
    get at() {
      return at;
    },
    async advance(ms) {
      const end = at + ms;
      await turns();
      while (at < end) await step(Math.min(STEP_MS, end - at));
    },
    run(work, latest = () => Number.POSITIVE_INFINITY) {
      const end = at + LONGEST_MS;
      return new Promise((resolve, reject) => {
        const reason = () => {
          if (at < end) return latest();
          reasons.delete(reason);
          reject(new Error(`Expected an end within ${LONGEST_MS} ms of the clock, got none.`));
          return at;
        };
        reasons.add(reason);
        work.then(resolve, reject).finally(() => reasons.delete(reason));
        if (!isMoving) void move();
      });
    },
  };
  stopped = clock;
  return clock;
}

function watch(work: Promise<unknown>): () => boolean {
  let goesOn = true;
  const end = () => {
    goesOn = false;
  };
  work.then(end, end);
  return () => goesOn;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise(setImmediate);
}
