/** Records what the owner has seen of a list, so that the start of a batch can check it. */
import type { Cost } from './batch-cost.ts';
import type { Choices } from './review-choices.ts';

/** A hidden field of the form. */
export const signatureOf = ({ columns, titles, splits }: Choices, { needed }: Cost): string =>
  [columns.join(','), `${titles ?? 'none'}${splits ? '/split' : ''}`, needed].join(' ');

/** Whether a start is for what the owner has seen. A lower cost needs no new look. */
export function isConfirmed(seen: string | undefined, choices: Choices, cost: Cost): boolean {
  const needed = seen?.split(' ')[2];
  if (needed === undefined || cost.isTest) return cost.isTest;
  return cost.needed <= Number(needed) && seen === signatureOf(choices, { ...cost, needed: Number(needed) });
}
