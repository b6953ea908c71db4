/** Lets a few tasks run at once, and a bounded number wait. */

/** Runs a task once a slot is free. @returns `busy` at once if too many tasks wait */
export type Slots = <Result>(task: () => Promise<Result>) => Promise<Result | 'busy'>;

export function createSlots(atOnce: number, mostWaiting: number): Slots {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= atOnce) {
      if (waiting.length >= mostWaiting) return 'busy';
      // The finished task passes its slot on, so `running` does not change.
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
