/**
 * The service's log for its operator. It never contains a key, a secret or an address, because callers never pass them.
 */

export type LogLevel = 'info' | 'warn' | 'error';

/** Receives one event. `details` are plain values that are safe to store. */
export type Log = (
  level: LogLevel,
  event: string,
  details?: Readonly<Record<string, string | number | boolean>>,
) => void;

export const silentLog: Log = () => {};

/** Writes JSON lines, one for each event. */
export function jsonLog(write: (line: string) => void, now: () => number): Log {
  // Many lines share a millisecond, and formatting it takes as long as the rest of a line.
  let latest = Number.NaN;
  let time = '';
  return (level, event, details = {}) => {
    const ms = now();
    if (ms !== latest) time = new Date(ms).toISOString();
    latest = ms;
    write(`${JSON.stringify({ time, level, event, ...details })}\n`);
  };
}

/** How long a line may wait for others, and how many characters may wait. */
const LONGEST_WAIT_MS = 100;
const MOST_WAITING = 16 * 1024;

/** Collects lines and writes them together. Writing blocks the process, so many requests share one system call. */
export function bufferLines(write: (lines: string) => void) {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === '') return;
    const lines = waiting;
    waiting = '';
    write(lines);
  };
  return {
    add(line: string): void {
      waiting += line;
      if (waiting.length >= MOST_WAITING) flush();
      // The timer does not keep the process alive, because the end of the process flushes.
      else timer ??= setTimeout(flush, LONGEST_WAIT_MS).unref();
    },
    /** Writes the waiting lines. Call it before the process ends. */
    flush,
  };
}

/** Removes keys from a text that quotes the operator's input, because keys easily get into the wrong place. */
export function hideKeys(text: string): string {
  return text.replace(/(test|live)_[\w-]+/g, '$1_…');
}

/** The place of an unexpected error, without its message, which may quote a visitor's input. */
export function describeError(error: unknown): { error: string; at: string } {
  if (!(error instanceof Error)) return { error: typeof error, at: '' };
  // `fetch` puts the system's error code one level deeper.
  const { code = error.name } = (error.cause ?? error) as { code?: unknown };
  // Removes the message first, because its lines could look like stack frames.
  const stack = (error.stack ?? '').replace(error.message, '');
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    error: typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : 'Error',
    at: frames
      .slice(0, 5)
      .map((line) => line.trim())
      .join(' '),
  };
}
