/** Limits how many tasks run at once. The others wait in order. */

export interface Turns {
  /** @returns a function that passes the turn on */
  take(): Promise<() => void>;
}

export function createTurns(most: number): Turns {
  let free = most;
  const waiting: (() => void)[] = [];
  const giveOn = () => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return giveOn;
    },
  };
}
