/** The two lines of one organisation: those that somebody waits for, and those in the background, which come after. */
import { createLine, type Line } from './line.ts';
import type { HeldBack, Slot } from './pacing.ts';

export interface Lines {
  /** Of both. */
  readonly length: number;
  /** How many wait for a conversation to end, without those in the background. */
  readonly wanted: number;
  of(inBackground: boolean): Line;
  /** The one whose turn it is. Nobody waits in it only if nobody waits in either. */
  next(): Line;
  /** Gives the first one its slot. @returns false if nobody waits */
  admit(slot: Slot): boolean;
  /**
   * Sends those away who would wait in vain. What holds back those that somebody waits for holds back all.
   *
   * @param until when it ends, 0 if that is not known
   */
  holdBack(line: Line, reason: HeldBack, until: number): void;
  /** Sends all away. */
  dismiss(): void;
}

/** @param onGone called when someone has given up. The next one may have other limits. */
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
