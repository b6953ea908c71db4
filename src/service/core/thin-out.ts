/** Thins out the lines of a database in trouble, because each request and each job would write the same one. */
import type { Log } from './log.ts';

/** SQLSTATE of exhausted resources and of our own time limits, and the system's code for a full disk. */
const TROUBLE = /^(53...|57014|55P03|ENOSPC)$/;

const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 600_000;

/**
 * Writes a line of an event and its error at once, and then after pauses that double. `left_out` counts the lines in
 * between. All other lines pass.
 *
 * @param now milliseconds of a clock that is never set back
 */
export function thinOut(log: Log, now = () => performance.now()): Log {
  const lines = new Map<string, { dueAt: number; pauseMs: number; leftOut: number }>();
  return (level, event, details) => {
    const cause = causeOf(details);
    if (level === 'info' || cause === undefined) return log(level, event, details);
    const key = `${event} ${cause}`;
    const [known, at] = [lines.get(key), now()];
    if (known && at < known.dueAt) {
      known.leftOut += 1;
      return;
    }
    // After a quiet time, it is a new trouble.
    const goesOn = known && at < known.dueAt + known.pauseMs;
    const pauseMs = goesOn ? Math.min(2 * known.pauseMs, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS;
    lines.set(key, { dueAt: at + pauseMs, pauseMs, leftOut: 0 });
    log(level, event, known?.leftOut ? { ...details, left_out: known.leftOut } : details);
  };
}

/** `why` is that of an embedded server that does not start. */
function causeOf({ error, why }: Readonly<Record<string, unknown>> = {}): string | undefined {
  if (typeof error === 'string' && TROUBLE.test(error)) return error;
  return typeof why === 'string' ? why : undefined;
}
