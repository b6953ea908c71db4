/** The work of a process that no request waits for: its heartbeat, and clearing up. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from './database/schema.ts';
import { isUnavailable } from './database/unavailable.ts';
import { startProcessHeartbeat } from './jobs/heartbeat.ts';
import { startHousekeeping } from './jobs/housekeeping.ts';
import type { Repeated } from './jobs/repeat.ts';
import type { Log } from './log.ts';
import type { StoredPacing } from './pacing/stored-pacing.ts';
import type { LiveVerifications } from './verify/live/live-verifications.ts';
import { giveBackDead } from './verify/live/store.ts';

export type Work = Repeated;

export interface WorkOptions {
  readonly db: Db;
  readonly processId: string;
  readonly live: LiveVerifications | undefined;
  readonly pacing: StoredPacing;
  readonly log: Log;
}

const PAUSE_MS = 500;

/** Returns once the other processes know this one. Serve no request before: its work would be taken over. */
export async function startWork({ db, processId, live, pacing, log }: WorkOptions): Promise<Work> {
  const heartbeat = await untilThere(() => startProcessHeartbeat({ db, processId, log }));
  const housekeeping = startHousekeeping({
    db,
    log,
    async giveBackLost() {
      // Without a verifier of its own, a process finds what others have left.
      if (live) await live.giveBackLost();
      else await giveBackDead(db);
      await pacing.giveBackLost();
    },
  });
  return {
    async stop() {
      await housekeeping.stop();
      await heartbeat.stop();
    },
  };
}

/** The database may go away between its first answer and this one. */
async function untilThere<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await pause(PAUSE_MS, undefined, { ref: false });
    }
  }
}
