/**
 * Limits conversations across all processes. The database decides, by the same rules as `MemoryPacing`.
 *
 * Each organisation has two queues in this process: a normal one and a background one. They make one round trip at a
 * time. It reports the ended conversations, and asks which ones of a queue may begin. Simultaneous reports share a
 * round trip. An ended conversation of this process triggers one at once. To notice those of other processes, the queue
 * polls.
 *
 * Without the database, conversations cannot begin, because the number in other processes is unknown. Waiting ones keep
 * waiting until their signals abort.
 */
import { randomUUID } from 'node:crypto';
import { createLines, type Lines } from '../../../engine/pacing/lines.ts';
import type { PaceLimits } from '../../../engine/pacing/pace.ts';
import type { Pacing, Slot } from '../../../engine/pacing/pacing.ts';
import { describeError } from '../../core/log.ts';
import { RecentMap } from '../../core/recent-map.ts';
import { coalesce } from '../../database/coalesce.ts';
import type { Deps } from '../../deps/deps.ts';
import { conversationsOf, type Ending, paceAll, type Round, removeConversations } from './pacing-store.ts';

/** Round trips run one after the other, each for up to this many organisations, unless one is delayed. */
const COALESCED = { atOnce: 3, most: 50, patienceMs: 50, gatherMs: 10 };
/** For so many organisations, it is known where their rows were last. */
const MOST_PLACES = 1_000;
/** How many conversations of a queue may begin in one round trip. */
const MOST_AT_ONCE = 100;

/** The first pause between polls for conversations of other processes. It grows up to the longest wait. */
const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 100;
/** Applies even if the wait is known, so that a changed clock does no harm. */
const LONGEST_WAIT_MS = 1_000;
/** A conversation with a longer wait is not queued. The database has the same figure. */
const QUEUED_MS = 1_000;

export interface StoredPacing extends Pacing {
  /** Frees conversations that this process has lost, such as one whose reply was lost. Called by the housekeeping. */
  releaseLost(): Promise<void>;
  /** Starts no more conversations, and waits until the ends are written. */
  stop(): Promise<void>;
}

export interface StoredPacingOptions extends Pick<Deps, 'db' | 'log' | 'processId'> {
  /** The time, for tests. @default the database's */
  readonly now?: () => Date;
  /** The longest time between two polls of a queue. */
  readonly longestWaitMs?: number;
}

interface Organisation {
  readonly name: string;
  readonly lines: Lines;
  endings: Ending[];
  /** The limits of the latest request. */
  limits: PaceLimits;
  /** The running round trips, until there is no work or a pause. */
  current: Promise<void> | undefined;
  isCalled: boolean;
  timer: NodeJS.Timeout | undefined;
  /** How often in a row no conversation could begin. */
  vainRounds: number;
  /** Whether this process is queued among the others. */
  isQueued: boolean;
  /** Whether another process waits for a slot, so that a background conversation should end. */
  isWantedElsewhere: boolean;
}

/** Each process has one. */
export function createStoredPacing(options: StoredPacingOptions): StoredPacing {
  const { db, processId, log, longestWaitMs = LONGEST_WAIT_MS } = options;
  const pace = coalesce(
    (rounds: readonly Round[]) => paceAll(db, processId, rounds, options.now?.()),
    COALESCED,
  );
  const clock = () => options.now?.().getTime() ?? performance.now();
  const organisations = new Map<string, Organisation>();
  /** Where the row of each organisation was last. */
  const rows = new RecentMap<string, string | null>(MOST_PLACES);
  /** The ids from before the request until the end is written. A row with another id is lost. */
  const known = new Set<string>();
  let isStopped = false;

  function organisationOf(name: string, limits: PaceLimits): Organisation {
    const there = organisations.get(name);
    if (there) return there;
    const organisation: Organisation = {
      ...{ name, limits, endings: [], current: undefined, isCalled: false, timer: undefined },
      ...{ vainRounds: 0, isQueued: false, isWantedElsewhere: false },
      lines: createLines(clock, () => call(organisation)),
    };
    organisations.set(name, organisation);
    return organisation;
  }

  /** Makes a round trip now. */
  function call(organisation: Organisation): void {
    organisation.isCalled = true;
    organisation.current ??= work(organisation);
  }

  async function work(organisation: Organisation): Promise<void> {
    clearTimeout(organisation.timer);
    // Simultaneous reports go into one round trip.
    await undefined;
    let waitMs = 0;
    while (waitMs === 0 || organisation.isCalled) {
      organisation.isCalled = false;
      if (!hasWork(organisation)) break;
      waitMs = await makeRound(organisation);
      if (isStopped) break;
    }
    organisation.current = undefined;
    if (!hasWork(organisation)) organisations.delete(organisation.name);
    else if (!isStopped) organisation.timer = setTimeout(() => call(organisation), waitMs);
  }

  const hasWork = ({ lines, endings, isQueued }: Organisation) =>
    lines.length > 0 || endings.length > 0 || isQueued;

  /** @returns how long to wait before the next one */
  async function makeRound(organisation: Organisation): Promise<number> {
    const { name, lines, endings } = organisation;
    organisation.endings = [];
    const line = lines.next();
    const inBackground = line === lines.of(true);
    const waiting = line.first(MOST_AT_ONCE);
    const limits = waiting[0]?.limits ?? organisation.limits;
    // Requests with other limits wait for a separate round.
    const alike = waiting.findIndex(
      (one) => one.limits.connections !== limits.connections || one.limits.perMinute !== limits.perMinute,
    );
    const first = alike < 0 ? waiting.slice(0, limits.connections) : waiting.slice(0, alike);
    const ids = first.map(() => randomUUID());
    for (const id of ids) known.add(id);
    const waitedMs = first.map(({ since }) => Math.round(clock() - since));
    try {
      const row = rows.get(name);
      const result = await pace({ organisation: name, row, limits, inBackground, ids, waitedMs, endings });
      rows.set(name, result.pace_row);
      for (const { id } of endings) known.delete(id);
      for (const id of ids.slice(result.begun)) known.delete(id);
      for (const id of ids.slice(0, result.begun)) letIn(organisation, id);
      organisation.isQueued = false;
      organisation.isWantedElsewhere = result.is_wanted_elsewhere;
      if (result.held_back === null) {
        organisation.vainRounds = 0;
        return 0;
      }
      const { held_back: reason, wait_ms: waitMs } = result;
      organisation.isQueued = waitMs < QUEUED_MS;
      organisation.vainRounds += 1;
      lines.holdBack(line, reason, waitMs > 0 ? clock() + waitMs : 0);
      // If this queue is empty, one more round asks for the background, or passes the turn to other processes.
      if (line.length === 0) return 0;
      return waitMs > 0
        ? Math.min(waitMs, longestWaitMs)
        : pollAfter(organisation, Math.min(LONGEST_POLL_MS, longestWaitMs));
    } catch (error) {
      if (organisation.vainRounds === 0) log('warn', 'pacing unavailable', describeError(error));
      organisation.vainRounds += 1;
      // The housekeeping frees conversations whose reply was lost.
      for (const id of ids) known.delete(id);
      organisation.endings.unshift(...endings);
      organisation.isQueued = false;
      return pollAfter(organisation, longestWaitMs);
    }
  }

  const pollAfter = ({ vainRounds }: Organisation, longest: number) =>
    Math.min(FIRST_POLL_MS * 2 ** Math.min(vainRounds - 1, 10), longest);

  /** Starts the first one. If all have given up meanwhile, the slot is freed. */
  function letIn(organisation: Organisation, id: string): void {
    let isLeft = false;
    const slot: Slot = {
      get wanted() {
        const { lines, isWantedElsewhere } = organisations.get(organisation.name) ?? organisation;
        return lines.wanted + (isWantedElsewhere ? 1 : 0);
      },
      leave(slowDown) {
        if (isLeft || isStopped) return;
        isLeft = true;
        const current = organisationOf(organisation.name, organisation.limits);
        current.endings.push({ id, how: slowDown ? 'slow down' : 'well' });
        call(current);
      },
    };
    if (!organisation.lines.admit(slot)) organisation.endings.push({ id, how: 'unused' });
  }

  return {
    async enter(name, limits, withinMs, signal, inBackground = false) {
      if (isStopped || signal.aborted) return 'connections';
      const organisation = organisationOf(name, limits);
      const line = organisation.lines.of(inBackground);
      const entered = line.join(limits, withinMs, signal);
      // Otherwise, it waits together with those before it.
      if (line.length === 1) call(organisation);
      return entered;
    },

    async releaseLost() {
      const ids = await conversationsOf(db, processId);
      const lost = ids.filter((id) => !known.has(id));
      if (lost.length > 0) await removeConversations(db, lost);
    },

    async stop() {
      isStopped = true;
      await Promise.all(
        [...organisations.values()].map(async (organisation) => {
          clearTimeout(organisation.timer);
          organisation.lines.dismiss();
          await organisation.current;
          if (organisation.endings.length > 0) await makeRound(organisation);
        }),
      );
      organisations.clear();
    },
  };
}
