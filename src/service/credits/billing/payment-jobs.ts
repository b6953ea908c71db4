/** The open payments, in words. */
import { counted, lasting } from '../../core/format.ts';
import type { JobLine } from '../../core/job-line.ts';
import type { Db } from '../../database/schema.ts';
import { countOpenPayments } from './payment-store.ts';

export async function paymentJobs(db: Db, now: Date): Promise<JobLine[]> {
  const { count, since } = await countOpenPayments(db);
  const oldest = since && ` The oldest began ${lasting(since, now)} ago. "payment list --open" shows each.`;
  const inWords = `${counted(count, 'payment waits', 'payments wait')} for your billing service.${oldest ?? ''}`;
  return [{ state: 'waiting', what: 'payments', count, since, inWords }];
}
