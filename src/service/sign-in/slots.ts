/** Lets a few tasks run at once, and a bounded number wait. */

/** @returns what runs a task when it is its turn, or returns `busy` at once if too many wait already */
export type Slots = <Result>(task: () => Promise<Result>) => Promise<Result | 'busy'>;

export function createSlots(atOnce: number, mostWaiting: number): Slots {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= atOnce) {
      if (waiting.length >= mostWaiting) return 'busy';
      // The one that ends hands its slot over, so `running` stays as it is.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
