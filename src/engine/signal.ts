/** Ends waits, as an `AbortSignal` does, also after a time. */

/** What a wait needs of an `AbortSignal`. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * A signal of the engine's own. A verification has about ten, and listens some forty times. With `AbortController`, that
 * takes more processor time than all its timers.
 */
export class OwnSignal implements Signal {
  aborted = false;
  readonly #listeners = new Set<() => void>();

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Calls each listener once. */
  abort(): void {
    this.aborted = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}

/** Node fires longer timers at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A signal that aborts with another one, or earlier.
 *
 * `AbortSignal.any` is not used. In Node 20, it keeps its memory until the other signal is collected, and a garbage
 * collection can take an `AbortSignal.timeout` out of it, which then never aborts (nodejs/node issue 57736).
 */
export class EarlierSignal extends OwnSignal {
  readonly #other: Signal | undefined;
  readonly #end = () => this.abort();
  #timer: NodeJS.Timeout | undefined;

  constructor(other: Signal | undefined) {
    super();
    this.#other = other;
    other?.addEventListener('abort', this.#end);
    if (other?.aborted) this.abort();
  }

  /** Aborts it after so many milliseconds. Only the first call counts. */
  abortIn(ms: number): void {
    // `AbortSignal.timeout` would let a process end while it still waits.
    this.#timer ??= setTimeout(this.#end, Math.min(ms, MAX_TIMER_MS));
  }

  /** Removes the timer and the listener. */
  release(): void {
    clearTimeout(this.#timer);
    this.#other?.removeEventListener('abort', this.#end);
  }
}

/** Runs work with a signal that aborts after `ms`, or with the outer signal. Leaves no timer and no listener behind. */
export async function within<Result>(
  ms: number,
  outer: Signal | undefined,
  work: (signal: Signal) => Promise<Result>,
): Promise<Result> {
  const inTime = new EarlierSignal(outer);
  inTime.abortIn(ms);
  try {
    return await work(inTime);
  } finally {
    inTime.release();
  }
}
