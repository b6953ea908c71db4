/** Repeats a task until it is stopped. */
import type { JobMonitor } from './job-monitor.ts';

export interface Repeated {
  /** Waits for the current run, and starts no other. */
  stop(): Promise<void>;
}

/**
 * Starts the task after `everyMs`, and again `everyMs` after each end.
 *
 * @param onError gets the task's error. The task still runs again. @param monitor records each run
 */
export function repeat(
  task: () => Promise<unknown>,
  everyMs: number,
  onError: (error: unknown) => void,
  monitor?: JobMonitor,
): Repeated {
  let current: Promise<unknown> = Promise.resolve();
  let timer = setTimeout(run, everyMs);
  let isStopped = false;

  function run(): void {
    current = task()
      .then(
        () => monitor?.ended(true),
        (error) => {
          monitor?.ended(false);
          onError(error);
        },
      )
      .finally(() => {
        if (!isStopped) timer = setTimeout(run, everyMs);
      });
  }

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}
