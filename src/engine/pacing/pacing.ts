/**
 * Holds conversations back, so that no organisation gets more than it accepts. An organisation is all mail hosts of one
 * owner (`providers.ts`), such as all hosts of Google.
 */
import type { PerHost } from '../options.ts';
import type { Signal } from '../signal.ts';

/** Why a conversation was not begun in time. */
export type HeldBack = 'paused' | 'connections' | 'per minute';

/** The right to hold one conversation. Give it back with `leave()`. */
export interface Slot {
  /** How many requests of waiting callers wait for a slot of this organisation. */
  readonly wanted: number;
  /** Only the first call counts. @param slowDown whether the server has asked for fewer conversations. The organisation then gets a pause */
  leave(slowDown: boolean): void;
}

export interface Pacing {
  /**
   * Waits until a conversation may begin.
   *
   * It returns early if the wait would be in vain, because the reason lasts longer than `withinMs`.
   *
   * @param signal ends the wait. The result then says what held it back.
   * @param withinMs how long the caller would wait
   * @param inBackground whether no caller waits for the result. Requests of waiting callers then begin first. The
   * default is `false`
   */
  enter(
    organisation: string,
    limits: Pick<PerHost, 'connections' | 'perMinute'>,
    withinMs: number,
    signal: Signal,
    inBackground?: boolean,
  ): Promise<Slot | HeldBack>;
}
