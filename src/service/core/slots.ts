/**
 * Lets a few tasks run at once. Others wait or are refused. Owners take turns, so whoever sends many tasks delays a task
 * of somebody else by one task only.
 */

/** Whose task it is. Tasks of one owner run in their order. */
export interface Owner {
  readonly id: string;
  /** Known owners and unknown ones take turns, however many there are of each. @default true */
  readonly isKnown?: boolean;
}

export interface SlotsOptions {
  readonly atOnce: number;
  /** How many slots one owner may have. @default all of them */
  readonly ofOne?: number;
  /** How many may wait. @default any number */
  readonly mostWaiting?: number;
}

/** Frees a slot. */
type Release = () => void;

export interface Slots {
  /** @returns undefined if no slot is free for the owner now */
  take(ownerId: string): Release | undefined;
  /**
   * Waits for a slot.
   *
   * @returns undefined if too many wait. The latest one of the owner with the most gives way first, and unknown owners
   * to known ones
   */
  wait(owner: Owner): Promise<Release | undefined>;
  /** Runs a task in a slot. @returns `busy` if too many wait */
  run<Result>(owner: Owner, task: () => Promise<Result>): Promise<Result | 'busy'>;
}

export function createSlots({ atOnce, ofOne = atOnce, mostWaiting = Infinity }: SlotsOptions): Slots {
  const running = new Map<string, number>();
  const known = createLine();
  const unknown = createLine();
  let all = 0;
  let knownIsNext = true;

  const runningOf = (id: string) => running.get(id) ?? 0;
  const mayBegin = (id: string) => all < atOnce && runningOf(id) < ofOne;

  function count(id: string, by: 1 | -1): void {
    const left = runningOf(id) + by;
    all += by;
    if (left === 0) running.delete(id);
    else running.set(id, left);
  }

  function take(id: string): Release | undefined {
    if (!mayBegin(id)) return undefined;
    count(id, 1);
    return () => {
      count(id, -1);
      beginWaiting();
    };
  }

  function beginWaiting(): void {
    const [first, second] = knownIsNext ? [known, unknown] : [unknown, known];
    const next = first.next(mayBegin) ?? second.next(mayBegin);
    if (!next) return;
    knownIsNext = !knownIsNext;
    next.begin(take(next.id));
  }

  /** @returns whether there is room for one more that waits */
  function makeRoom({ id, isKnown = true }: Owner): boolean {
    if (known.size() + unknown.size() < mostWaiting) return true;
    // An unknown owner with any number gives way to a known one.
    const gaveWay = unknown.giveWay(isKnown ? 0 : unknown.sizeOf(id) + 1);
    return gaveWay || (isKnown && known.giveWay(known.sizeOf(id) + 1));
  }

  function wait(owner: Owner): Promise<Release | undefined> {
    const { id, isKnown = true } = owner;
    const release = take(id);
    if (release || !makeRoom(owner)) return Promise.resolve(release);
    return new Promise((begin) => (isKnown ? known : unknown).add(id, begin));
  }

  return {
    take,
    wait,
    async run(owner, task) {
      // A free slot is taken at once.
      const release = take(owner.id) ?? (await wait(owner));
      if (!release) return 'busy';
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}

type Begin = (release: Release | undefined) => void;

/** Those who wait. */
function createLine() {
  /** In the order of their turns. */
  const owners = new Map<string, Begin[]>();
  let size = 0;
  return {
    size: () => size,
    sizeOf: (id: string) => owners.get(id)?.length ?? 0,
    add(id: string, begin: Begin): void {
      size += 1;
      const own = owners.get(id);
      if (own) own.push(begin);
      else owners.set(id, [begin]);
    },
    next(mayBegin: (id: string) => boolean): { id: string; begin: Begin } | undefined {
      for (const [id, own] of owners) {
        if (!mayBegin(id)) continue;
        size -= 1;
        owners.delete(id);
        const begin = own.shift()!;
        if (own.length > 0) owners.set(id, own);
        return { id, begin };
      }
      return undefined;
    },
    /** The latest one of the owner with the most leaves, if they are more. @returns whether it did */
    giveWay(than: number): boolean {
      let longest: [string, Begin[]] | undefined;
      for (const owner of owners) if (owner[1].length > (longest?.[1].length ?? than)) longest = owner;
      if (!longest) return false;
      const [id, own] = longest;
      size -= 1;
      own.pop()!(undefined);
      if (own.length === 0) owners.delete(id);
      return true;
    },
  };
}
