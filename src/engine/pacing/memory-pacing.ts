/** Holds conversations back within one process: for the command `check`, and for tests. */
import { createLines, type Lines } from './lines.ts';
import { createPace, end, isQuiet, type Pace, tryToBegin } from './pace.ts';
import type { Pacing, Slot } from './pacing.ts';

/** Beyond this number, the oldest are forgotten, unless they have a conversation or waiters. */
const MOST_ORGANISATIONS = 50_000;

export interface MemoryPacingOptions {
  /** Milliseconds of a clock that is never set back. */
  readonly now?: () => number;
  /** @default more than a process meets within minutes */
  readonly mostOrganisations?: number;
}

export interface MemoryPacing extends Pacing {
  /** The number of organisations in memory. */
  readonly size: number;
}

interface Organisation {
  readonly pace: Pace;
  readonly lines: Lines;
  timer: NodeJS.Timeout | undefined;
}

export function createMemoryPacing(options: MemoryPacingOptions = {}): MemoryPacing {
  const { now = () => performance.now(), mostOrganisations = MOST_ORGANISATIONS } = options;
  const organisations = new Map<string, Organisation>();

  function organisationOf(name: string): Organisation {
    const known = organisations.get(name);
    if (known) return known;
    // Checks two for each new one, so that quiet organisations leave faster than new ones arrive.
    for (let count = 0; count < 2; count += 1) forgetOldest();
    const organisation: Organisation = {
      pace: createPace(),
      lines: createLines(now, () => admit(organisation)),
      timer: undefined,
    };
    organisations.set(name, organisation);
    return organisation;
  }

  function forgetOldest(): void {
    const [oldest] = organisations;
    if (!oldest) return;
    const [name, organisation] = oldest;
    const { pace, lines } = organisation;
    organisations.delete(name);
    const isUnused = lines.length === 0 && pace.open === 0;
    const isTooMuch = organisations.size >= mostOrganisations;
    if (!isUnused || !(isQuiet(pace, now()) || isTooMuch)) organisations.set(name, organisation);
  }

  /** Gives slots to all waiters who may begin, in order. */
  function admit(organisation: Organisation): void {
    const { pace, lines } = organisation;
    clearTimeout(organisation.timer);
    for (;;) {
      const line = lines.next();
      const [first] = line.first(1);
      if (!first) return;
      const hindrance = tryToBegin(pace, first.limits, now());
      if (hindrance) {
        const { heldBack, until } = hindrance;
        lines.holdBack(line, heldBack, until);
        // The background has other limits.
        if (line.length === 0) continue;
        if (until > 0) organisation.timer = setTimeout(() => admit(organisation), until - now());
        return;
      }
      lines.admit(slotOf(organisation));
    }
  }

  function slotOf(organisation: Organisation): Slot {
    const begunAfter = organisation.pace.slowDowns;
    let isLeft = false;
    return {
      get wanted() {
        return organisation.lines.wanted;
      },
      leave(slowDown) {
        if (isLeft) return;
        isLeft = true;
        end(organisation.pace, begunAfter, slowDown, now());
        admit(organisation);
      },
    };
  }

  return {
    get size() {
      return organisations.size;
    },
    enter(name, limits, withinMs, signal, inBackground = false) {
      const organisation = organisationOf(name);
      const line = organisation.lines.of(inBackground);
      const entered = line.join(limits, withinMs, signal);
      // Behind others in the line, it waits with them.
      if (line.length === 1) admit(organisation);
      return entered;
    },
  };
}
