/** Bounds the downloads that run at once in a process, so that a leaked URL does not use up its memory. */

export interface Slots {
  /** @returns a function that frees the slot, or undefined if all are taken */
  take(id: string): (() => void) | undefined;
}

/**
 * @param most downloads of all batches @param mostOfOne downloads of one batch, so that its URL does not block others
 */
export function createSlots(most: number, mostOfOne: number): Slots {
  const taken = new Map<string, number>();
  let all = 0;
  const change = (id: string, by: 1 | -1) => {
    const count = (taken.get(id) ?? 0) + by;
    all += by;
    if (count === 0) taken.delete(id);
    else taken.set(id, count);
  };
  return {
    take(id) {
      if (all >= most || (taken.get(id) ?? 0) >= mostOfOne) return undefined;
      change(id, 1);
      return () => change(id, -1);
    },
  };
}
