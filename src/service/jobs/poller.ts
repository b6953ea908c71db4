/** Looks for work at once when woken, and regularly for work that other processes have left. */
import { describeError, type Log } from '../core/log.ts';
import type { JobMonitor } from './job-monitor.ts';

export type Poller = ReturnType<typeof createPoller>;

interface PollerOptions {
  /** Never runs twice at a time. */
  readonly look: () => Promise<void>;
  readonly everyMs: number;
  readonly log: Log;
  /** The log's name for a failed look. */
  readonly failure: string;
  /** Records each look. */
  readonly monitor?: JobMonitor | undefined;
}

/** Call `wake` for the first look. */
export function createPoller({ look, everyMs, log, failure, monitor }: PollerOptions) {
  let looking: Promise<void> | undefined;
  let isCalled = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  /** Looks now, or once more after a running look. */
  function wake(): void {
    isCalled = true;
    if (!isStopped) looking ??= run();
  }

  async function run(): Promise<void> {
    clearTimeout(timer);
    while (isCalled && !isStopped) {
      isCalled = false;
      await look().then(
        () => monitor?.ended(true),
        (error) => {
          monitor?.ended(false);
          log('warn', failure, describeError(error));
        },
      );
    }
    looking = undefined;
    if (!isStopped) timer = setTimeout(wake, everyMs);
  }

  return {
    wake,
    /** Starts no further look. Resolves when the running one has ended. */
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}
