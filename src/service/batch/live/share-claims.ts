/**
 * Shares the claims of a process among accounts. Every account gets as many as the others, or all that it has if that is
 * less. A part is kept for accounts that have none yet. It needs no clock and no database.
 */

/** How many an account gets at first of what is kept. */
const FIRST = 10;

export interface Claiming {
  /** The most claims of the process. */
  readonly most: number;
  /** How many of them are kept for accounts that have none. */
  readonly kept: number;
  /** How many an account that claims more has after that at most. @default as many as fit */
  readonly mostOfAccount?: number;
  /** How many each account has. */
  readonly has: ReadonlyMap<string, number>;
  /** The accounts with more to claim, in the order of their turns. */
  readonly waiting: readonly string[];
}

/** How many to claim of each account, in the order of their turns. */
export function sharesOf(claiming: Claiming): Map<string, number> {
  const { most, kept, mostOfAccount = most, has, waiting } = claiming;
  const level = Math.min(levelOf(claiming), mostOfAccount);
  const shares = new Map<string, number>();
  let free = most - totalOf(has);
  let unkept = free - kept;
  for (const account of waiting) {
    const had = has.get(account) ?? 0;
    const usual = Math.min(level - had, unkept);
    const share = had === 0 && usual <= 0 ? Math.min(FIRST, free) : usual;
    if (share <= 0) continue;
    shares.set(account, share);
    free -= share;
    unkept -= share;
  }
  return shares;
}

/** How many claims the accounts with the most should give back, so that the waiting ones get their shares. */
export function surplusOf(claiming: Claiming): Map<string, number> {
  const { most, kept, has, waiting } = claiming;
  const level = levelOf(claiming);
  const missing = waiting
    .map((account) => (has.has(account) ? level - has.get(account)! : Math.min(level, FIRST)))
    .reduce((sum, each) => sum + Math.max(0, each), 0);
  let needed = missing + totalOf(has) - (most - kept);
  const surplus = new Map<string, number>();
  for (const [account, had] of [...has].sort(([, one], [, other]) => other - one)) {
    const back = Math.min(had - level, needed);
    if (back <= 0) break;
    surplus.set(account, back);
    needed -= back;
  }
  return surplus;
}

/** How many claims each account may have, so that all fit. Those that have fewer and no more to claim leave theirs. */
function levelOf({ most, kept, has, waiting }: Claiming): number {
  let room = most - kept;
  let sharing = new Set([...has.keys(), ...waiting]).size;
  const isWaiting = new Set(waiting);
  const settled = [...has].filter(([account]) => !isWaiting.has(account)).map(([, had]) => had);
  for (const had of settled.sort((one, other) => one - other)) {
    if (had * sharing > room) break;
    room -= had;
    sharing -= 1;
  }
  return Math.max(1, Math.floor(room / Math.max(1, sharing)));
}

const totalOf = (has: ReadonlyMap<string, number>) =>
  [...has.values()].reduce((sum, count) => sum + count, 0);
