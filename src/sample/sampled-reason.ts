/**
 * Draws the reason and the score of a sample result. An address always gets the same ones. The caller passes in the
 * draw.
 */
import type { Reason, State } from '../protocol/result.ts';

/** The share of each reason among well-formed addresses, in percent. */
const SHARES: readonly (readonly [Reason, number])[] = [
  ['accepted_email', 46],
  ['rejected_email', 10],
  ['invalid_domain', 9],
  ['invalid_smtp', 4],
  ['low_deliverability', 8],
  ['low_quality', 7],
  ['no_connect', 4],
  ['timeout', 4],
  ['unavailable_smtp', 4],
  ['unexpected_error', 4],
];

/** @returns a number from 0 to `below - 1`, for a property of an address */
export type Draw = (property: string, below: number) => number;

export function drawReason(draw: Draw): Reason {
  let left = draw('reason', 100);
  for (const [reason, share] of SHARES) {
    if (left < share) return reason;
    left -= share;
  }
  throw new RangeError('the shares of the reasons do not add up to 100');
}

/** 0 for undeliverable, 1–79 for risky, 80–100 for deliverable. Unknown gets 50, the middle. */
export function scoreFor(state: State, draw: Draw): number {
  if (state === 'undeliverable') return 0;
  if (state === 'unknown') return 50;
  return state === 'risky' ? 1 + draw('score', 79) : 80 + draw('score', 21);
}
