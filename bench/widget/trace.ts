/** Reads the browser's trace of a page's main thread. */

/** One entry of a trace, as the browser writes it. Times are in microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly cat: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** The thread's own processor time, without other work of the machine. */
  readonly tdur?: number;
  readonly args: {
    readonly data?: {
      readonly url?: string;
      readonly type?: string;
      readonly timerId?: number;
      readonly timeout?: number;
    };
  };
}

/** A piece of work, with the work within it. */
export interface Span {
  readonly name: string;
  /** The script that it belongs to. */
  readonly url: string;
  /** The event that was dispatched. */
  readonly type: string;
  /** The timer that was set, or that fired. */
  readonly timer: number | undefined;
  /** The delay of that timer. */
  readonly timeoutMs: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Processor time. */
  readonly cpuMs: number;
  readonly parent: Span | undefined;
  readonly children: Span[];
}

/** A mark that the page writes into the trace. It identifies the main thread. */
export const MARK = 'bench: here';

/** The work of a page's main thread. */
export interface Recording {
  /** In order of start. */
  readonly spans: readonly Span[];
  /** Converts a time of the page's clock to the clock of the spans. */
  timeOf(pageMs: number): number;
}

/**
 * The work in the main thread of the page that made the mark.
 *
 * @param markMs the time of the mark by the page's clock
 */
export function mainThread(events: readonly TraceEvent[], markMs: number): Recording {
  const mark = events.find(({ name }) => name === MARK);
  if (!mark) throw new Error('Expected the page to have marked its thread in the trace.');
  const own = events
    // X: has a duration. I, R and n: has none.
    .filter(({ pid, tid, ph }) => pid === mark.pid && tid === mark.tid && 'XIR'.includes(ph))
    // A span that contains another begins no later and takes longer.
    .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const spans: Span[] = [];
  let parent: Span | undefined;
  for (const { name, ts, dur = 0, tdur = dur, args } of own) {
    const startMs = ts / 1000;
    while (parent && parent.endMs <= startMs) parent = parent.parent;
    const { url = '', type = '', timerId, timeout = 0 } = args.data ?? {};
    const span: Span = {
      name,
      url,
      type,
      timer: timerId,
      timeoutMs: timeout,
      startMs,
      endMs: (ts + dur) / 1000,
      cpuMs: tdur / 1000,
      parent,
      children: [],
    };
    parent?.children.push(span);
    spans.push(span);
    if (dur > 0) parent = span;
  }
  return { spans, timeOf: (pageMs) => mark.ts / 1000 + pageMs - markMs };
}

export function isWithin(span: Span, test: (ancestor: Span) => boolean): boolean {
  return ancestorOf(span, test) !== undefined;
}

/** The nearest enclosing span. */
export function ancestorOf(span: Span, test: (ancestor: Span) => boolean): Span | undefined {
  for (let each = span.parent; each; each = each.parent) if (test(each)) return each;
  return undefined;
}

/** The outermost spans of a candidate's script. */
export function ownWork(spans: readonly Span[]): Span[] {
  return spans.filter((span) => isOwn(span) && !isWithin(span, isOwn));
}

/** @returns whether a span runs in a timer that was set in this recording, for at least so long */
export function inTimerOf(spans: readonly Span[], leastMs: number): (span: Span) => boolean {
  const timers = new Set(
    spans
      .filter(({ name, timeoutMs }) => name === 'TimerInstall' && timeoutMs >= leastMs)
      .map(({ timer }) => timer),
  );
  return (span) => isWithin(span, ({ name, timer }) => name === 'TimerFire' && timers.has(timer));
}

/** Parsing the script, running it, and later calls of its functions. */
export function isOwn({ name, url }: Span): boolean {
  return /^(EvaluateScript|v8\.compile|FunctionCall)$/.test(name) && url.includes('/script.js');
}

export const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

/** The widget wakes by itself 250 ms after the page is ready. Shorter timers belong to a script's start. */
export const SLEEP_MS = 200;

/** Milliseconds of processor time. */
export interface Start {
  /** The work while the script loads, until it sleeps. */
  readonly installMs: number;
  /** The later work of timers that the script set while it loaded. */
  readonly wakeMs: number;
}

/** Divides a script's work into installation and wake. */
export function startOf(spans: readonly Span[]): Start {
  const isLater = inTimerOf(spans, SLEEP_MS);
  const work = ownWork(spans);
  const timeOf = (those: readonly Span[]) => sum(those.map(({ cpuMs }) => cpuMs));
  return {
    installMs: timeOf(work.filter((span) => !isLater(span))),
    wakeMs: timeOf(work.filter(isLater)),
  };
}
