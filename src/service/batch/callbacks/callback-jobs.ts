/** The waiting, running and failed callbacks, in words. */

import { counted, lasting } from '../../core/format.ts';
import type { JobLine } from '../../core/job-line.ts';
import type { Db } from '../../database/schema.ts';
import { type CallbackCount, countCallbacks } from './callback-store.ts';

export async function callbackJobs(db: Db, now: Date): Promise<JobLine[]> {
  return (await countCallbacks(db)).map((counts) => lineOf(counts, now));
}

function lineOf({ state, count, since }: CallbackCount, now: Date): JobLine {
  const some = counted(count, 'callback');
  const ago = `${lasting(since, now)} ago`;
  const line = { count, since };
  switch (state) {
    case 'due':
      return {
        ...{ ...line, state: 'waiting', what: 'callbacks that are due' },
        inWords: `${some} can be sent now. The oldest became due ${ago}.`,
      };
    case 'retry':
      return {
        ...{ ...line, state: 'waiting', what: 'callbacks that are tried again later' },
        inWords: `${some} failed and will be tried again. The last try of the oldest was ${ago}. "batch show" says why it failed.`,
      };
    case 'being sent':
      return {
        ...{ ...line, state: 'running', what: 'callbacks that are being sent' },
        inWords: `The service waits for the answer to ${some}. The oldest was sent ${ago}.`,
      };
    case 'given up':
      return {
        ...{ ...line, state: 'failed', what: 'callbacks that were given up' },
        inWords: `${some} got no 200 in time. The first was given up ${ago}. "batch show" says why, and "batch send-callback" sends it again.`,
      };
  }
}
