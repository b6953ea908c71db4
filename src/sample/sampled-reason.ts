/**
 * State, reason and score of a sample result, as an address's draw has them: the same ones every time. How it is drawn
 * is for others to say.
 */
import type { Reason, State } from '../interface/result.ts';

/** How many of a hundred addresses get each reason. */
const SHARES: readonly (readonly [Reason, number])[] = [
  ['accepted_email', 46],
  ['rejected_email', 10],
  ['invalid_domain', 5],
  ['invalid_email', 4],
  ['invalid_smtp', 4],
  ['low_deliverability', 8],
  ['low_quality', 7],
  ['no_connect', 4],
  ['timeout', 4],
  ['unavailable_smtp', 4],
  ['unexpected_error', 4],
];

/** @returns a number from 0 to `below - 1` for a named property of an address */
export type Draw = (property: string, below: number) => number;

export function drawReason(draw: Draw): Reason {
  let left = draw('reason', 100);
  for (const [reason, share] of SHARES) {
    if (left < share) return reason;
    left -= share;
  }
  throw new RangeError('the shares of the reasons do not add up to 100');
}

/** 0 undeliverable, 1–79 risky, 80–100 deliverable. Unknown is the middle: it speaks neither for nor against. */
export function scoreFor(state: State, draw: Draw): number {
  if (state === 'undeliverable') return 0;
  if (state === 'unknown') return 50;
  return state === 'risky' ? 1 + draw('score', 79) : 80 + draw('score', 21);
}
