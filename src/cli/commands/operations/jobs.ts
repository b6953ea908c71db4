/** `jobs`: describes waiting, running and failed jobs in words. */
import type { JobLine } from '../../../service/core/job-line.ts';
import { readOverview } from '../../../service/operations/overview.ts';
import { defineCommand } from '../../command.ts';
import { timeJson } from '../time-json.ts';

export const jobs = defineCommand({
  words: ['jobs'],
  description:
    'Shows what waits, what runs and what has failed, and which processes are alive. A process is dead when it has lost its lock in the database, or 30 seconds after its last heartbeat.',
  flags: {},
  example: 'jobs',
  async run({ db }) {
    const { lines, processes } = await readOverview(db);
    const listed = (wanted: JobLine['state']) =>
      lines
        .filter(({ state }) => state === wanted)
        .map(({ what, count, since, inWords }) => ({
          ...{ what, count, since: timeJson(since), in_words: inWords },
        }));
    return {
      waiting: listed('waiting'),
      running: listed('running'),
      failed: listed('failed'),
      processes: processes.map(({ id, host, pid, is_alive, started_at, alive_at }) => ({
        ...{ id, host, pid, alive: is_alive, started_at: timeJson(started_at), seen_at: timeJson(alive_at) },
      })),
    };
  },
});
