/** The running live verifications, in words. */

import { counted, lasting } from '../../core/format.ts';
import type { JobLine } from '../../core/job-line.ts';
import type { Db } from '../../database/schema.ts';
import { type Running, readRunning } from './live-store.ts';

export async function verificationJobs(db: Db, now: Date): Promise<JobLine[]> {
  return (await readRunning(db)).map((running) => lineOf(running, now));
}

function lineOf({ is_alive, count, since }: Running, now: Date): JobLine {
  const some = counted(count, 'verification');
  const oldest = `The oldest began ${lasting(since, now)} ago.`;
  if (!is_alive) {
    const back = count === 1 ? 'Its credit is' : 'Their credits are';
    const inWords = `${some} ended with a process that died. ${back} given back within seconds. ${oldest}`;
    return { state: 'waiting', what: 'verifications of dead processes', count, since, inWords };
  }
  // The database does not know which requests got a 249.
  const are = count === 1 ? 'is' : 'are';
  const inWords = `${some} of /v1/verify ${are} running, including those that continue after a 249. ${oldest}`;
  return { state: 'running', what: 'verifications of /v1/verify', count, since, inWords };
}
