/** The two lines of one organisation: requests of waiting callers first, then those in the background. */
import { createLine, type Line } from './line.ts';
import type { HeldBack, Slot } from './pacing.ts';

export interface Lines {
  /** The length of both lines. */
  readonly length: number;
  /** How many wait for a conversation to end, without those in the background. */
  readonly wanted: number;
  of(inBackground: boolean): Line;
  /** The line whose turn it is. It is empty only if both are. */
  next(): Line;
  /** Gives the slot to the first waiter. @returns `false` if both lines are empty */
  admit(slot: Slot): boolean;
  /**
   * Dismisses waiters who would wait in vain. A reason that holds back waiting callers also holds back the background.
   *
   * @param until when the reason ends, or 0 if that is not known
   */
  holdBack(line: Line, reason: HeldBack, until: number): void;
  /** Dismisses all waiters. */
  dismiss(): void;
}

/** @param onGone called when a waiter has given up, because the next one may have other limits */
export function createLines(now: () => number, onGone: () => void): Lines {
  const urgent = createLine(now, onGone);
  const background = createLine(now, onGone);
  const next = () => (urgent.length > 0 ? urgent : background);
  return {
    get length() {
      return urgent.length + background.length;
    },
    get wanted() {
      return urgent.reason === 'connections' ? urgent.length : 0;
    },
    of: (inBackground) => (inBackground ? background : urgent),
    next,
    admit: (slot) => next().admit(slot),
    holdBack(line, reason, until) {
      line.holdBack(reason, until);
      if (line === urgent) background.holdBack(reason, until);
    },
    dismiss() {
      urgent.dismiss();
      background.dismiss();
    },
  };
}
