/** What the owner has seen of a list when a batch is started. */
import type { Choices } from './choices.ts';
import type { Cost } from './cost.ts';

/** It stands in the form of the page. */
export const signatureOf = ({ column, hasHeader }: Choices, { needed }: Cost): string =>
  [column, hasHeader, needed].join(' ');

/** Whether a start is for what was seen. If it costs less, or nothing, nobody has to look at it again. */
export function isConfirmed(seen: string | undefined, choices: Choices, cost: Cost): boolean {
  const needed = seen?.split(' ')[2];
  if (needed === undefined || cost.isTest) return cost.isTest;
  return cost.needed <= Number(needed) && seen === signatureOf(choices, { ...cost, needed: Number(needed) });
}
