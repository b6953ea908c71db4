/**
 * One field's life, as states and the pure transition between them. Knows no document, timer or request.
 *
 *                 a change                   a question                 its answer
 *     unjudged ───────────────▶ waiting ───────────────▶ verifying ───────────────▶ accepted | rejected
 *         ▲                      ▲   ▲                       │     └──────────────▶ error
 *         │ an empty value,      │   └─────── a change ──────┘
 *         │ reset                └─────────── a change, from any state, at once
 *         └────────────────────────────────── from any state
 *
 * What is known without a question (an answer remembered, an address that can be none) goes straight from
 * waiting to its verdict. `skipped` is an address that the page wants left alone.
 */

import type { Verdict } from './check/policy.ts';
import type { Answer, Failure } from './check/request.ts';

/** A verdict, and what it was formed from. */
export interface Opinion extends Verdict {
  /** The address that decides; a list has several. */
  readonly _about?: string;
  readonly _answer?: Answer;
}

export interface FieldState {
  readonly _phase: 'unjudged' | 'waiting' | 'verifying' | 'accepted' | 'rejected' | 'error' | 'skipped';
  /** What the state is about: no verdict outlives the value that it was given for. Empty when unjudged. */
  readonly _subject: string;
  /** A submission was tried: until the verdict, the field says no to whoever asks. */
  readonly _closed?: boolean | undefined;
  /** Of an accepted or rejected value. */
  readonly _verdict?: Opinion | undefined;
  /** Why there is no verdict. */
  readonly _failure?: Failure | undefined;
}

export const UNJUDGED: FieldState = { _phase: 'unjudged', _subject: '' };

/** From the visitor's change until the verdict. */
export const isPending = ({ _phase: phase }: FieldState) => phase === 'waiting' || phase === 'verifying';

/** The state that follows: a change counts at once, all else only while the field holds the value that it is about. */
export function transition(present: FieldState, next: FieldState): FieldState {
  if (next._phase === 'waiting') return next._subject ? next : UNJUDGED;
  if (next._phase === 'unjudged') return UNJUDGED;
  if (next._subject !== present._subject) return present;
  return next._phase === 'verifying' ? { ...next, _closed: next._closed || present._closed } : next;
}
