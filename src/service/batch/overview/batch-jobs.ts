/** The work on batches, in words. */

import { addresses, counted, lasting } from '../../core/format.ts';
import type { JobLine } from '../../core/job-line.ts';
import type { Db } from '../../database/schema.ts';
import {
  type Claimed,
  type Queue,
  readClaims,
  readDueRetention,
  readQueues,
  readUnexpected,
} from './batch-overview-store.ts';

const batches = (count: number) => counted(count, 'batch', 'batches');

/** @param conversations when the oldest conversation of each process with a mail server began */
export async function batchJobs(
  db: Db,
  now: Date,
  conversations: ReadonlyMap<string, Date>,
): Promise<JobLine[]> {
  const lines = (await readQueues(db)).map((queue) => lineOfQueue(queue, now));
  for (const claim of await readClaims(db)) {
    const { process_id, is_alive, addresses: count, batches: of } = claim;
    const since = conversations.get(process_id) ?? null;
    const oldest = since && ` Its oldest conversation with a mail server began ${lasting(since, now)} ago.`;
    lines.push({
      state: is_alive ? 'running' : 'waiting',
      what: `addresses of live batches that a ${is_alive ? '' : 'dead '}process has claimed`,
      count,
      since,
      inWords: `${sayClaim(claim, `${addresses(count)} of ${batches(of)}`)}${oldest ?? ''}`,
    });
  }
  return [...lines, ...(await retentionJobs(db, now)), ...(await failedJobs(db, now))];
}

function lineOfQueue({ mode, state, since, ...queue }: Queue, now: Date): JobLine {
  const kind = mode === 'live' ? 'live batches' : 'batches of test keys';
  const some = `${addresses(queue.addresses)} of ${batches(queue.batches)}`;
  const of = mode === 'live' ? `${some} with a live key` : `${some} with a test key`;
  const line = { state: 'waiting', count: queue.addresses } as const;
  switch (state) {
    case 'ready':
      return {
        ...{ ...line, what: `addresses of ${kind} that are ready`, since },
        inWords: `${of} can be verified now. The oldest batch was created ${lasting(since, now)} ago.`,
      };
    case 'later':
      return {
        ...{ ...line, what: `addresses of ${kind} that are tried again later`, since: null },
        inWords: `${of} got a temporary result. ${sayTries(queue, now)}`,
      };
    case 'paused':
      return {
        ...{ ...line, what: `addresses of ${kind} that are paused`, since },
        inWords: `${of} wait until they are resumed. The first one was paused ${lasting(since, now)} ago.`,
      };
  }
}

/** @param claimed how many addresses */
export function sayClaim(
  { process_id, is_alive }: Pick<Claimed, 'process_id' | 'is_alive'>,
  claimed: string,
): string {
  if (is_alive) return `Process ${process_id} works on ${claimed}.`;
  return `Process ${process_id} is dead and has claimed ${claimed}. Another process takes them over within seconds.`;
}

/** When addresses are tried again that got a temporary result. */
export function sayTries(
  due: { readonly first_due_at: Date | null; readonly last_due_at: Date | null },
  now: Date,
): string {
  const say = (at: Date) => (at <= now ? 'now' : `in ${lasting(at, now)}`);
  return `The first is tried again ${say(due.first_due_at!)}, the last ${say(due.last_due_at!)}.`;
}

async function retentionJobs(db: Db, now: Date): Promise<JobLine[]> {
  const { count, since } = await readDueRetention(db);
  if (!since) return [];
  const inWords = `The results of ${batches(count)} have expired, the first ${lasting(since, now)} ago. Their addresses are deleted within seconds.`;
  return [{ state: 'waiting', what: 'batches whose results have expired', count, since, inWords }];
}

async function failedJobs(db: Db, now: Date): Promise<JobLine[]> {
  const { count, since } = await readUnexpected(db);
  if (!since) return [];
  const inWords = `${addresses(count)} of live batches got unexpected_error, because this service or name servers failed. The first of these batches was completed ${lasting(since, now)} ago. The log says more.`;
  const what = 'addresses of live batches with unexpected_error';
  return [{ state: 'failed', what, count, since, inWords }];
}
