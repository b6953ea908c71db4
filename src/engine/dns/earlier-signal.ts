/**
 * A signal that aborts with another one, or earlier.
 *
 * `AbortSignal.any` is not used: in Node 20, a garbage collection can take an `AbortSignal.timeout` out of it, which
 * then never aborts (nodejs/node issue 57736).
 */
import { setMaxListeners } from 'node:events';

export interface EarlierSignal {
  readonly signal: AbortSignal;
  /** Aborts it after so many milliseconds. Only the first call counts. */
  abortIn(ms: number): void;
  /** Removes the timer and the listener. */
  release(): void;
}

export function earlierSignal(signal: AbortSignal): EarlierSignal {
  const controller = new AbortController();
  // Each lookup listens. Node would warn from the eleventh listener on.
  setMaxListeners(0, controller.signal);
  const abort = () => controller.abort();
  let timer: NodeJS.Timeout | undefined;
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    abortIn(ms) {
      timer ??= setTimeout(abort, ms);
    },
    release() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}
