/** Time limits for steps of a conversation. Each leaves no timer and no listener behind. */

/** Node fires longer timers at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The remaining milliseconds. */
export interface Countdown {
  left(): number;
  extend(ms: number): void;
}

export function countdown(ms: number): Countdown {
  let end = performance.now() + ms;
  return {
    left: () => Math.max(0, end - performance.now()),
    extend(more) {
      end += more;
    },
  };
}

/**
 * Runs work with a signal that aborts after `ms`, or with the outer signal.
 *
 * It does not use `AbortSignal.any`: in Node 20, that keeps its memory until the outer signal is collected.
 */
export async function within<Result>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, Math.min(ms, MAX_TIMER_MS));
  outer?.addEventListener('abort', abort);
  if (outer?.aborted) abort();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', abort);
  }
}
