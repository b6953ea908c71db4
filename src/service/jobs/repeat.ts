/** Runs a task again and again until it is stopped. */
import type { Pulse } from './pulse.ts';

export interface Repeated {
  /** Waits for the run that has begun, and starts no other. */
  stop(): Promise<void>;
}

/**
 * Starts the task once `everyMs` have passed, and again each time it has ended and they have passed.
 *
 * @param onError gets what the task throws. The task runs again nevertheless.
 * @param pulse hears of each run
 */
export function repeat(
  task: () => Promise<unknown>,
  everyMs: number,
  onError: (error: unknown) => void,
  pulse?: Pulse,
): Repeated {
  let current: Promise<unknown> = Promise.resolve();
  let timer = setTimeout(run, everyMs);
  let isStopped = false;

  function run(): void {
    current = task()
      .then(
        () => pulse?.ended(true),
        (error) => {
          pulse?.ended(false);
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
