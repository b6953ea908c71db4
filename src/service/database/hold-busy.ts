/**
 * Calls about a row that somebody else has locked come back `busy` instead of waiting in the database. They wait here,
 * so that they hold up no call about another row, and use no connection.
 */
import { LockedError } from './unavailable.ts';

export interface HoldOptions<Item, Result> {
  /** Whose row a call is about, such as an account's id. */
  readonly subjectOf: (item: Item) => string;
  /** Whether the call did nothing, because the row is locked. */
  readonly isBusy: (result: Result) => boolean;
  /** Called when a call has to wait. */
  readonly onHeld?: (item: Item) => void;
  /** Whether anybody still waits for the call. Otherwise it is not repeated. @default true */
  readonly isWanted?: (item: Item) => boolean;
  /** How many calls of a subject try again together. */
  readonly most: number;
  /** How long a call waits at most. @default 9 seconds, as for a statement */
  readonly longestMs?: number;
}

export interface HeldCalls<Item, Result> {
  /** @throws {LockedError} if the row stays locked, or nobody waits for the call any more */
  run(item: Item): Promise<Result>;
  /** How many calls wait, of one subject or of all. */
  waiting(subject?: string): number;
}

const LONGEST_MS = 9_000;
/** Another process holds the row for a few milliseconds, an operator for seconds. */
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 64;

interface Call<Item> {
  readonly item: Item;
  readonly since: number;
  tryAgain(): void;
  giveUp(): void;
}

interface Held<Item> {
  readonly calls: Call<Item>[];
  pauseMs: number;
  timer: NodeJS.Timeout | undefined;
}

/** @param run runs one call */
export function holdBusy<Item, Result>(
  run: (item: Item) => Promise<Result>,
  options: HoldOptions<Item, Result>,
): HeldCalls<Item, Result> {
  const { subjectOf, isBusy, onHeld, isWanted = () => true, most, longestMs = LONGEST_MS } = options;
  const held = new Map<string, Held<Item>>();
  let all = 0;

  /** Waits for the next try of the subject. */
  function wait(item: Item, subject: string, since: number): Promise<void> {
    const own: Held<Item> = held.get(subject) ?? { calls: [], pauseMs: FIRST_PAUSE_MS, timer: undefined };
    held.set(subject, own);
    const { calls, pauseMs } = own;
    onHeld?.(item);
    all += 1;
    // Without the random part, two processes could try in step.
    own.timer ??= setTimeout(() => tryAgain(subject, own), pauseMs * (0.5 + Math.random() / 2));
    return new Promise((resolve, reject) => {
      calls.push({ item, since, tryAgain: resolve, giveUp: () => reject(new LockedError()) });
    });
  }

  function tryAgain(subject: string, own: Held<Item>): void {
    own.timer = undefined;
    own.pauseMs = Math.min(own.pauseMs * 2, LONGEST_PAUSE_MS);
    const over: Call<Item>[] = [];
    const others: Call<Item>[] = [];
    // Each is asked once. A second answer could differ, and the call would be in neither list.
    for (const call of own.calls) {
      const isOver = !isWanted(call.item) || performance.now() - call.since > longestMs;
      (isOver ? over : others).push(call);
    }
    own.calls.splice(0, own.calls.length, ...others.slice(most));
    all -= over.length + Math.min(most, others.length);
    for (const call of over) call.giveUp();
    for (const call of others.slice(0, most)) call.tryAgain();
    // Their results decide about the rest.
    if (others.length === 0) held.delete(subject);
  }

  /** The row is free. */
  function release(subject: string): void {
    const own = held.get(subject);
    if (!own) return;
    clearTimeout(own.timer);
    held.delete(subject);
    all -= own.calls.length;
    for (const call of own.calls) call.tryAgain();
  }

  return {
    async run(item) {
      const subject = subjectOf(item);
      const since = performance.now();
      if (held.has(subject)) await wait(item, subject, since);
      for (;;) {
        let result: Result | undefined;
        try {
          result = await run(item);
        } finally {
          // After an error, the others find out what is wrong.
          if (result === undefined || !isBusy(result)) release(subject);
        }
        if (!isBusy(result)) return result;
        await wait(item, subject, since);
      }
    },
    waiting: (subject) => (subject === undefined ? all : (held.get(subject)?.calls.length ?? 0)),
  };
}
