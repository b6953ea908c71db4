/**
 * Lets a few tasks run at once, and a bounded number wait. The lanes take turns, so whoever fills one lane delays a
 * task of another lane by one task only.
 */

export interface Lane {
  /** Whose task it is. Tasks of one lane run in their order. */
  readonly id: string;
  /** Known lanes and unknown ones take turns, however many there are of each. */
  readonly isKnown: boolean;
}

/**
 * Runs a task when its turn comes.
 *
 * @returns `busy` if too many tasks wait. The latest task of the longest lane gives way first, and an unknown lane to a
 * known one
 */
export type Turns = <Result>(lane: Lane, task: () => Promise<Result>) => Promise<Result | 'busy'>;

type Answer = (mayRun: boolean) => void;

export function createTurns(atOnce: number, mostWaiting: number): Turns {
  const known = createLanes();
  const unknown = createLanes();
  let running = 0;
  let knownIsNext = true;

  function next(): Answer | undefined {
    const [first, second] = knownIsNext ? [known, unknown] : [unknown, known];
    knownIsNext = !knownIsNext;
    return first.next() ?? second.next();
  }

  /** Makes room for a task. @returns whether there is room now */
  function makeRoom({ id, isKnown }: Lane): boolean {
    if (known.waiting() + unknown.waiting() < mostWaiting) return true;
    // An unknown lane of any length gives way to a known one.
    const gaveWay = unknown.giveWay(isKnown ? 0 : unknown.length(id) + 1);
    return gaveWay || (isKnown && known.giveWay(known.length(id) + 1));
  }

  return async (lane, task) => {
    if (running >= atOnce) {
      if (!makeRoom(lane)) return 'busy';
      // The finished task passes its turn on, so `running` does not change.
      const mayRun = await new Promise<boolean>((resolve) =>
        (lane.isKnown ? known : unknown).add(lane.id, resolve),
      );
      if (!mayRun) return 'busy';
    } else running += 1;
    try {
      return await task();
    } finally {
      const answer = next();
      if (answer) answer(true);
      else running -= 1;
    }
  };
}

function createLanes() {
  /** In the order of their turns. */
  const lanes = new Map<string, Answer[]>();
  let count = 0;
  return {
    waiting: () => count,
    length: (id: string) => lanes.get(id)?.length ?? 0,
    add(id: string, answer: Answer): void {
      count += 1;
      const lane = lanes.get(id);
      if (lane) lane.push(answer);
      else lanes.set(id, [answer]);
    },
    next(): Answer | undefined {
      for (const [id, lane] of lanes) {
        count -= 1;
        lanes.delete(id);
        const answer = lane.shift();
        if (lane.length > 0) lanes.set(id, lane);
        return answer;
      }
      return undefined;
    },
    /** The latest task of the longest lane leaves, if that lane is longer. @returns whether it did */
    giveWay(than: number): boolean {
      let longest: [string, Answer[]] | undefined;
      for (const lane of lanes) if (lane[1].length > (longest?.[1].length ?? than)) longest = lane;
      if (!longest) return false;
      const [id, lane] = longest;
      count -= 1;
      lane.pop()!(false);
      if (lane.length === 0) lanes.delete(id);
      return true;
    },
  };
}
