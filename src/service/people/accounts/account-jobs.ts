/** The deleted accounts that still have data, in words. */
import { counted, lasting } from '../../core/format.ts';
import type { JobLine } from '../../core/job-line.ts';
import type { Db } from '../../database/schema.ts';
import { countDeleted } from './account-store.ts';

export async function accountJobs(db: Db, now: Date): Promise<JobLine[]> {
  const { count, since } = await countDeleted(db);
  const first = since && ` The first was deleted ${lasting(since, now)} ago.`;
  const inWords = `${counted(count, 'deleted account has', 'deleted accounts have')} data left, which workers delete.${first ?? ''}`;
  return [{ state: 'waiting', what: 'deleted accounts', count, since, inWords }];
}
