/**
 * The states of one field, and the transition between them. Pure: knows no document, timer or request.
 *
 *                 a change                   a request                  its result
 *     unjudged ───────────────▶ waiting ───────────────▶ verifying ───────────────▶ accepted | rejected
 *         ▲                      ▲   ▲                       │     └──────────────▶ error
 *         │ an empty value,      │   └─────── a change ──────┘
 *         │ reset                └─────────── a change, from any state
 *         └────────────────────────────────── from any state
 *
 * A field goes directly from waiting to its verdict if no request is needed: for a remembered result, and for text that
 * cannot be an address. `skipped` is an address that the page skips.
 */

import type { Verdict } from './check/policy.ts';
import type { Answer, Failure } from './check/request.ts';

/** A verdict, and the result that it was formed from. */
export interface Opinion extends Verdict {
  /** The address that decides. A list has several. */
  readonly _address?: string;
  readonly _answer?: Answer;
}

export interface FieldState {
  readonly _phase: 'unjudged' | 'waiting' | 'verifying' | 'accepted' | 'rejected' | 'error' | 'skipped';
  /** The value that the state is about. A verdict never outlives it. Empty when unjudged. */
  readonly _subject: string;
  /** A submission was tried: until the verdict, the field's validity is an error. */
  readonly _closed?: boolean | undefined;
  /** The verdict of an accepted or rejected value. */
  readonly _verdict?: Opinion | undefined;
  /** Why there is no verdict. */
  readonly _failure?: Failure | undefined;
}

export const UNJUDGED: FieldState = { _phase: 'unjudged', _subject: '' };

/** Whether the value has changed and has no verdict yet. */
export const isPending = ({ _phase: phase }: FieldState) => /waiting|verifying/.test(phase);

/** The next state. A change always counts. Everything else counts only if it is about the field's current value. */
export function transition(present: FieldState, next: FieldState): FieldState {
  if (next._phase === 'waiting') return next._subject ? next : UNJUDGED;
  if (next._phase === 'unjudged') return UNJUDGED;
  if (next._subject !== present._subject) return present;
  return next._phase === 'verifying' ? { ...next, _closed: present._closed } : next;
}
