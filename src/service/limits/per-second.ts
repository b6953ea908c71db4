/**
 * So many requests in the second that begins with the first (interface, section 8).
 * Written here since the packages for it read the machine's clock, and this one has to be turned on by tests.
 */
import type { Clock } from '../clock.ts';

const WINDOW_MS = 1000;

export interface RateVerdict {
  readonly allowed: boolean;
  readonly remaining: number;
  /** When the present second ends, in milliseconds since 1970. */
  readonly resetAt: number;
}

/** @returns a function that counts one request of a client; clients are keys, so there are no more than configured */
export function createPerSecondLimit(max: number, clock: Clock): (client: string) => RateVerdict {
  const windows = new Map<string, { startedAt: number; count: number }>();
  return (client) => {
    const now = clock();
    let window = windows.get(client);
    // A clock that was set back would otherwise close the door until it has caught up.
    if (!window || now >= window.startedAt + WINDOW_MS || now < window.startedAt) {
      window = { startedAt: now, count: 0 };
      windows.set(client, window);
    }
    const allowed = window.count < max;
    if (allowed) window.count += 1;
    return { allowed, remaining: max - window.count, resetAt: window.startedAt + WINDOW_MS };
  };
}
