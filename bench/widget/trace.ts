/** What the browser wrote down of a page's main thread. */

/** One entry of a trace, as the browser writes it; times in microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly cat: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** The thread's own processor time: what else the machine did meanwhile is not in it. */
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

/** Something that took its time, and what went on within it. */
export interface Span {
  readonly name: string;
  /** The script that it belongs to. */
  readonly url: string;
  /** The event that was dispatched. */
  readonly type: string;
  /** The timer that was set, or that ran out. */
  readonly timer: number | undefined;
  /** How long that timer was set for. */
  readonly timeoutMs: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Processor time. */
  readonly cpuMs: number;
  readonly parent: Span | undefined;
  readonly children: Span[];
}

/** Written by the page into its own trace: says which of all threads is its main one. */
export const MARK = 'bench: here';

/** What went on in a page's main thread. */
export interface Recording {
  /** In the order in which it began. */
  readonly spans: readonly Span[];
  /** When that was, as the spans have it, which the page's own clock has. */
  timeOf(pageMs: number): number;
}

/**
 * All that went on in the main thread of the page that made the mark.
 *
 * @param markMs when it was made by the page's own clock
 */
export function mainThread(events: readonly TraceEvent[], markMs: number): Recording {
  const mark = events.find(({ name }) => name === MARK);
  if (!mark) throw new Error('Expected the page to have marked its thread in the trace.');
  const own = events
    // X: has a duration. I, R and n: has none.
    .filter(({ pid, tid, ph }) => pid === mark.pid && tid === mark.tid && 'XIR'.includes(ph))
    // What contains another begins no later and takes longer.
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

/** The nearest that it is in. */
export function ancestorOf(span: Span, test: (ancestor: Span) => boolean): Span | undefined {
  for (let each = span.parent; each; each = each.parent) if (test(each)) return each;
  return undefined;
}

/** What a candidate's script does, in its outermost spans: none of them is in another. */
export function ownWork(spans: readonly Span[]): Span[] {
  return spans.filter((span) => isOwn(span) && !isWithin(span, isOwn));
}

/** @returns whether a span runs in a timer that was set, in this recording, for so long or longer */
export function inTimerOf(spans: readonly Span[], leastMs: number): (span: Span) => boolean {
  const timers = new Set(
    spans
      .filter(({ name, timeoutMs }) => name === 'TimerInstall' && timeoutMs >= leastMs)
      .map(({ timer }) => timer),
  );
  return (span) => isWithin(span, ({ name, timer }) => name === 'TimerFire' && timers.has(timer));
}

/** Reading the script, running it, and calling its functions later on. */
export function isOwn({ name, url }: Span): boolean {
  return /^(EvaluateScript|v8\.compile|FunctionCall)$/.test(name) && url.includes('/script.js');
}

export const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
