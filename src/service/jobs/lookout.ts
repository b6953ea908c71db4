/** Looks for work at once when it is called, and from time to time for what other processes have left. */
import { describeError, type Log } from '../log.ts';
import type { Pulse } from './pulse.ts';

export interface Lookout {
  /** Looks now, or once more if a look goes on. */
  wake(): void;
  /** Begins no other look. Resolves when none goes on. */
  stop(): Promise<void>;
}

export interface LookoutOptions {
  /** Never runs twice at a time. */
  readonly look: () => Promise<void>;
  readonly everyMs: number;
  readonly log: Log;
  /** What the log calls a look that failed. */
  readonly failure: string;
  /** Hears of each look. */
  readonly pulse?: Pulse | undefined;
}

/** The first look is made by `wake`. */
export function createLookout({ look, everyMs, log, failure, pulse }: LookoutOptions): Lookout {
  let looking: Promise<void> | undefined;
  let isCalled = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  function wake(): void {
    isCalled = true;
    if (!isStopped) looking ??= run();
  }

  async function run(): Promise<void> {
    clearTimeout(timer);
    while (isCalled && !isStopped) {
      isCalled = false;
      await look().then(
        () => pulse?.ended(true),
        (error) => {
          pulse?.ended(false);
          log('warn', failure, describeError(error));
        },
      );
    }
    looking = undefined;
    if (!isStopped) timer = setTimeout(wake, everyMs);
  }

  return {
    wake,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}
