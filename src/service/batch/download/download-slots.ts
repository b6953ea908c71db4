/** Bounds the downloads that run at once in a process, so that they do not use up its memory. */

export interface Slots {
  /** @returns a function that frees the slot, or undefined if all are taken */
  take(accountId: string): (() => void) | undefined;
}

/**
 * @param most downloads of all accounts @param mostOfOne downloads of one account, so that it does not block others
 */
export function createSlots(most: number, mostOfOne: number): Slots {
  const taken = new Map<string, number>();
  let all = 0;
  const change = (accountId: string, by: 1 | -1) => {
    const count = (taken.get(accountId) ?? 0) + by;
    all += by;
    if (count === 0) taken.delete(accountId);
    else taken.set(accountId, count);
  };
  return {
    take(accountId) {
      if (all >= most || (taken.get(accountId) ?? 0) >= mostOfOne) return undefined;
      change(accountId, 1);
      return () => change(accountId, -1);
    },
  };
}
