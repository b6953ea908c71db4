/** Explains to an operator what the open addresses of a batch wait for. */
import { addresses, lasting } from '../../core/format.ts';
import { sayClaim, sayTries } from './batch-jobs.ts';
import type { BatchSummary, OpenAddresses } from './batch-overview-store.ts';

/** @returns a sentence or two for each group of addresses */
export function sayOpenAddresses(
  batch: Pick<BatchSummary, 'paused_at' | 'completed_at' | 'stopped_after' | 'distinct_total' | 'verified'>,
  { ready, claimed, later, ...due }: OpenAddresses,
  now: Date,
): string[] {
  const { paused_at, completed_at, stopped_after, distinct_total, verified } = batch;
  const said: string[] = [];
  if (completed_at && stopped_after !== null)
    return [
      `The batch was stopped ${lasting(completed_at, now)} ago. ${addresses(distinct_total - verified)} got no result.`,
    ];
  if (completed_at) return [`The batch was completed ${lasting(completed_at, now)} ago.`];
  if (paused_at)
    said.push(
      `The batch was paused ${lasting(paused_at, now)} ago. No further address begins until it is resumed.`,
    );
  if (ready > 0) said.push(`${addresses(ready)} can be verified ${paused_at ? 'then' : 'now'}.`);
  for (const claim of claimed) said.push(sayClaim(claim, addresses(claim.addresses)));
  if (later > 0) said.push(`${addresses(later)} got a temporary result. ${sayTries(due, now)}`);
  const isOpen = ready > 0 || claimed.length > 0 || later > 0;
  if (!isOpen)
    said.push(
      `Every address has its result. The batch is completed ${paused_at ? 'when it is resumed' : 'within seconds'}.`,
    );
  return said;
}
