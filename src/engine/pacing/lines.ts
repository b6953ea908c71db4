/** The two lines of one organisation: requests of waiting callers first, then those in the background. */
import { createLine, type Line } from './line.ts';
import type { HeldBack, Slot } from './pacing.ts';

export type Lines = ReturnType<typeof createLines>;

/** @param onGone called when a waiter has given up, because the next one may have other limits */
export function createLines(now: () => number, onGone: () => void) {
  const urgent = createLine(now, onGone);
  const background = createLine(now, onGone);
  const next = () => (urgent.length > 0 ? urgent : background);
  return {
    /** The length of both lines. */
    get length() {
      return urgent.length + background.length;
    },
    /** How many wait for a conversation to end, without those in the background. */
    get wanted() {
      return urgent.reason === 'connections' ? urgent.length : 0;
    },
    of: (inBackground: boolean) => (inBackground ? background : urgent),
    /** The line whose turn it is. It is empty only if both are. */
    next,
    /** Gives the slot to the first waiter. @returns `false` if both lines are empty */
    admit: (slot: Slot) => next().admit(slot),
    /**
     * Dismisses waiters who would wait in vain. A reason that holds back waiting callers also holds back the background.
     *
     * @param until when the reason ends, or 0 if that is not known
     */
    holdBack(line: Line, reason: HeldBack, until: number): void {
      line.holdBack(reason, until);
      if (line === urgent) background.holdBack(reason, until);
    },
    dismiss() {
      urgent.dismiss();
      background.dismiss();
    },
  };
}
