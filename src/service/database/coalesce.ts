/**
 * Combines simultaneous calls into one round trip to the database, and so into one commit. An idle process sends each
 * call at once. A busy one sends the calls together that came while it waited.
 */
import { isUnavailable } from './unavailable.ts';

export interface CoalesceOptions {
  /** How many round trips run at once. */
  readonly atOnce: number;
  /** How many calls one of them carries. */
  readonly most: number;
  /**
   * How long a round trip may take before another one starts in parallel. Round trips that lock the same rows only wait
   * for each other, but a blocked one must not block all others. @default 0
   */
  readonly patienceMs?: number;
  /**
   * How long after the start of a round trip the next one starts, unless it is full. Calls that come one by one then
   * share one. The first call of an idle process does not wait. @default 0
   */
  readonly gatherMs?: number;
}

interface Call<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * @param runAll runs all items in one transaction, and returns their results in the same order
 * @returns runs one item
 */
export function coalesce<Item, Result>(
  runAll: (items: readonly Item[]) => Promise<readonly Result[]>,
  { atOnce, most, patienceMs = 0, gatherMs = 0 }: CoalesceOptions,
): (item: Item) => Promise<Result> {
  const waiting: Call<Item, Result>[] = [];
  let running = 0;
  let startedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  function runNext(): void {
    if (running >= atOnce || waiting.length === 0) return;
    const pauseMs = Math.max(running > 0 ? patienceMs : 0, waiting.length < most ? gatherMs : 0);
    const restMs = startedAt + pauseMs - performance.now();
    if (restMs > 0) {
      timer ??= setTimeout(() => {
        timer = undefined;
        runNext();
      }, restMs);
      return;
    }
    const calls = waiting.splice(0, most);
    running += 1;
    startedAt = performance.now();
    void settle(calls).finally(() => {
      running -= 1;
      clearTimeout(timer);
      timer = undefined;
      runNext();
    });
  }

  async function settle(calls: readonly Call<Item, Result>[]): Promise<void> {
    try {
      const results = await runAll(calls.map(({ item }) => item));
      calls.forEach(({ resolve }, index) => {
        resolve(results[index]!);
      });
    } catch (error) {
      const [only] = calls;
      // The whole transaction failed and changed no data. One item must not make the others fail, so each runs alone.
      if (calls.length > 1 && !isUnavailable(error)) await Promise.all(calls.map((call) => settle([call])));
      else if (calls.length === 1) only!.reject(error);
      else for (const { reject } of calls) reject(error);
    }
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      runNext();
    });
}
