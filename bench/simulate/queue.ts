/**
 * Simulates the model event by event, to check its arithmetic. Conversations of one organisation arrive at random, wait
 * for a connection and for their turn in the minute, take their time, and end. Pure: it has its own clock.
 */

export interface QueueOptions {
  /** Conversations of each kind: how many arrive per second, and how long each lasts. */
  readonly kinds: readonly { readonly perSecond: number; readonly seconds: number }[];
  /** The limits of all IP addresses together. */
  readonly connections: number;
  readonly perMinute: number;
  readonly seconds: number;
  /** The warm-up, which does not count: the first conversations find everything free. */
  readonly warmUpSeconds: number;
  /** Returns numbers from 0 to 1. */
  readonly random: () => number;
}

export interface Played {
  readonly begun: number;
  /** The mean number of open connections over time. */
  readonly open: number;
  readonly meanWait: number;
  readonly p99Wait: number;
  /** The number that wait at the end. It keeps growing if the load is impossible. */
  readonly left: number;
}

/** The times at which connections become free, the earliest first: a binary heap. */
function createHeap() {
  const times: number[] = [];
  const swap = (a: number, b: number) => {
    [times[a], times[b]] = [times[b]!, times[a]!];
  };
  return {
    get size() {
      return times.length;
    },
    first: () => times[0]!,
    push(time: number) {
      times.push(time);
      for (let at = times.length - 1; at > 0; ) {
        const above = (at - 1) >> 1;
        if (times[above]! <= times[at]!) break;
        swap(at, above);
        at = above;
      }
    },
    pop() {
      swap(0, times.length - 1);
      times.pop();
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        let least = at;
        if (left < times.length && times[left]! < times[least]!) least = left;
        if (right < times.length && times[right]! < times[least]!) least = right;
        if (least === at) return;
        swap(at, least);
        at = least;
      }
    },
  };
}

/** Serves conversations in order of arrival. */
export function play(options: QueueOptions): Played {
  const { kinds, connections, perMinute, seconds, warmUpSeconds, random } = options;
  const rate = kinds.reduce((sum, { perSecond }) => sum + perSecond, 0);
  const ends = createHeap();
  /** The start times of the last `perMinute` conversations, as a ring. */
  const began = new Float64Array(Math.max(1, Math.floor(perMinute))).fill(Number.NEGATIVE_INFINITY);
  const waits: number[] = [];
  let count = 0;
  let openSeconds = 0;
  let left = 0;
  for (let arrival = 0; ; ) {
    arrival += -Math.log(1 - random()) / rate;
    if (arrival >= seconds) break;
    let pick = random() * rate;
    const kind = kinds.find(({ perSecond }) => {
      pick -= perSecond;
      return pick < 0;
    })!;
    // A minute after the conversation that began `perMinute` places earlier.
    let start = Math.max(arrival, began[count % began.length]! + 60);
    while (ends.size > 0 && ends.first() <= arrival) ends.pop();
    if (ends.size >= connections) {
      start = Math.max(start, ends.first());
      ends.pop();
    }
    began[count % began.length] = start;
    count += 1;
    const end = start + kind.seconds;
    ends.push(end);
    if (start > seconds) left += 1;
    else openSeconds += Math.max(0, Math.min(end, seconds) - Math.max(start, warmUpSeconds));
    if (arrival >= warmUpSeconds) waits.push(start - arrival);
  }
  waits.sort((a, b) => a - b);
  return {
    begun: count - left,
    open: openSeconds / (seconds - warmUpSeconds),
    meanWait: waits.reduce((sum, wait) => sum + wait, 0) / waits.length,
    p99Wait: waits[Math.floor(waits.length * 0.99)] ?? Number.NaN,
    left,
  };
}

/** Random numbers that are the same in each run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
