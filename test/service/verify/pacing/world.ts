/** Processes that share a pacing in a database, with a clock that the test sets. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { vi } from 'vitest';
import type { Slot } from '../../../../src/engine/pacing/pacing.ts';
import { silentLog } from '../../../../src/service/core/log.ts';
import type { Db } from '../../../../src/service/database/schema.ts';
import {
  createStoredPacing,
  type StoredPacing,
} from '../../../../src/service/verify/pacing/stored-pacing.ts';
import type { PacingWorld } from '../../../engine/pacing/pacing-suite.ts';
import { onRows } from '../../support/plugins.ts';
import { addProcess } from '../../support/process.ts';

const QUICK = { interval: 2 };

export interface StoredWorld extends PacingWorld {
  readonly pacings: readonly StoredPacing[];
  readonly processIds: readonly string[];
  now(): Date;
}

/** @param db where the test looks itself */
export async function createStoredWorld(db: Db, pools: readonly Db[]): Promise<StoredWorld> {
  await sql`truncate paces, conversations, conversation_waits`.execute(db);
  let now = Date.now();
  const slots = new Set<object>();
  const processes = await Promise.all(
    pools.map(async (pool) => {
      const processId = randomUUID();
      await addProcess(pool, processId);
      const seen = { replies: 0, waiting: 0 };
      const counter = onRows(() => {
        seen.replies += 1;
      });
      const stored = createStoredPacing({
        ...{ db: pool.withPlugin(counter), processId, log: silentLog },
        ...{ now: () => new Date(now), longestWaitMs: 10 },
      });
      const pacing: StoredPacing = {
        ...stored,
        async enter(...request) {
          seen.waiting += 1;
          const entered = await stored.enter(...request);
          seen.waiting -= 1;
          if (typeof entered === 'string') return entered;
          const slot: Slot = {
            get wanted() {
              return entered.wanted;
            },
            leave(slowDown: boolean) {
              slots.delete(slot);
              entered.leave(slowDown);
            },
          };
          slots.add(slot);
          return slot;
        },
      };
      return { pacing, seen, processId };
    }),
  );
  return {
    pacings: processes.map(({ pacing }) => pacing),
    processIds: processes.map(({ processId }) => processId),
    now: () => new Date(now),
    advance: async (ms) => {
      now += ms;
    },
    async consider() {
      const before = processes.map(({ seen }) => seen.replies);
      // The first reply may be to a question from before.
      await vi.waitUntil(
        () => processes.every(({ seen }, index) => seen.waiting === 0 || seen.replies >= before[index]! + 2),
        QUICK,
      );
    },
    async spread() {
      await vi.waitUntil(async () => {
        const rows = await db.selectFrom('conversations').select('id').execute();
        return rows.length === slots.size;
      }, QUICK);
    },
    async close() {
      await Promise.all(processes.map(({ pacing }) => pacing.stop()));
    },
  };
}
