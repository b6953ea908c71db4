/** What the service tells its operator. Never holds a key, a secret or an address: what is not passed cannot leak. */

export type LogLevel = 'info' | 'warn' | 'error';

/** Receives one event; `details` are plain values that are safe to keep. */
export type Log = (
  level: LogLevel,
  event: string,
  details?: Readonly<Record<string, string | number | boolean>>,
) => void;

export const silentLog: Log = () => {};

/** Writes JSON lines, one for each event. */
export function jsonLog(write: (line: string) => void, now: () => number): Log {
  // Many lines belong to one millisecond, and spelling it takes as long as the rest of a line.
  let latest = Number.NaN;
  let time = '';
  return (level, event, details = {}) => {
    const ms = now();
    if (ms !== latest) time = new Date(ms).toISOString();
    latest = ms;
    write(`${JSON.stringify({ time, level, event, ...details })}\n`);
  };
}

/** How long a line may wait for others, and how many letters may wait. */
const LONGEST_WAIT_MS = 100;
const MOST_WAITING = 16 * 1024;

/** Lines that are written together, since writing holds up everything else: one system call for many requests. */
export interface LineBuffer {
  add(line: string): void;
  /** Writes what still waits. Has to be called before the process ends. */
  flush(): void;
}

export function bufferLines(write: (lines: string) => void): LineBuffer {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === '') return;
    const lines = waiting;
    waiting = '';
    write(lines);
  };
  return {
    add(line) {
      waiting += line;
      if (waiting.length >= MOST_WAITING) flush();
      // The process need not live on for it: whoever ends it flushes.
      else timer ??= setTimeout(flush, LONGEST_WAIT_MS).unref();
    },
    flush,
  };
}

/** A text that quotes what an operator wrote, without the keys in it: they stand in the wrong place easily. */
export function hideKeys(text: string): string {
  return text.replace(/(test|live)_[\w-]+/g, '$1_…');
}

/** Where an unexpected error happened, without its message: a message may quote what a visitor typed. */
export function describeError(error: unknown): { error: string; at: string } {
  if (!(error instanceof Error)) return { error: typeof error, at: '' };
  // `fetch` hides the system's own code one level down.
  const { code = error.name } = (error.cause ?? error) as { code?: unknown };
  // The message goes first: one of several lines could pass for frames.
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
