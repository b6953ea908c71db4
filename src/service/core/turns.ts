/**
 * Limits how many long tasks run at once. One account has one turn at a time, so it cannot hold all of them. The others
 * wait in order.
 */

export interface Turns {
  /** @returns a function that passes the turn on */
  take(accountId: string): Promise<() => void>;
}

interface Waiting {
  readonly accountId: string;
  readonly begin: () => void;
}

export function createTurns(most: number): Turns {
  const running = new Set<string>();
  const waiting: Waiting[] = [];
  function beginNext(): void {
    const index = waiting.findIndex(({ accountId }) => !running.has(accountId));
    if (running.size >= most || index < 0) return;
    const [{ accountId, begin }] = waiting.splice(index, 1) as [Waiting];
    running.add(accountId);
    begin();
  }
  return {
    async take(accountId) {
      await new Promise<void>((begin) => {
        waiting.push({ accountId, begin });
        beginNext();
      });
      return () => {
        running.delete(accountId);
        beginNext();
      };
    },
  };
}
