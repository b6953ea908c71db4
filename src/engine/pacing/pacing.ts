/**
 * Holds conversations back, so that no organisation is asked more than it likes. An organisation is all mail hosts in
 * the same hands (`providers.ts`): to Google, all of its hosts are one.
 */
import type { PerHost } from '../options.ts';

/** Why a conversation was not begun in time. */
export type HeldBack = 'paused' | 'connections' | 'per minute';

/** The right to hold one conversation. It has to be given back. */
export interface Slot {
  /** How many requests wait for a slot of this organisation that do not wait in the background. */
  readonly wanted: number;
  /** @param slowDown whether the server has asked for fewer conversations: its organisation is left alone then */
  leave(slowDown: boolean): void;
}

export interface Pacing {
  /**
   * Waits until a conversation may begin.
   *
   * It returns early when the wait would be in vain: what holds it back lasts longer than `withinMs`.
   *
   * @param signal ends the wait. Then the result says what held it back.
   * @param withinMs how long the caller would wait
   * @param inBackground whether nobody waits for the result. Others begin first then. By default somebody does
   */
  enter(
    organisation: string,
    limits: Pick<PerHost, 'connections' | 'perMinute'>,
    withinMs: number,
    signal: AbortSignal,
    inBackground?: boolean,
  ): Promise<Slot | HeldBack>;
}
