/**
 * A process for tests: it works on batches, and writes a line for each address that it verifies. It verifies `MOST` of
 * them, and then it hangs.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { startBatchWorker } from '../../../../src/service/batch/live/batch-worker.ts';
import { silentLog } from '../../../../src/service/core/log.ts';
import { columnTypes } from '../../../../src/service/database/column-types.ts';
import type { Schema } from '../../../../src/service/database/schema.ts';
import { startProcessHeartbeat } from '../../../../src/service/jobs/process-heartbeat.ts';
import { DEPS, settingsWith } from '../../support/deps.ts';
import { resultOf } from '../../support/result.ts';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL!, max: 5, types: columnTypes });
const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
let left = Number(process.env.MOST);
const processId = randomUUID();
await startProcessHeartbeat({ db, processId, log: silentLog });
const settings = settingsWith({ live: { greylistRetries: [0.05] } });
startBatchWorker(
  { ...DEPS, db, processId, settings },
  {
    lookEveryMs: 50,
    async verifier({ address }) {
      // Each address takes a time of its own, so that results do not come in the order of their addresses.
      await wait((Number(/\d+/.exec(address)?.[0]) * 7) % 20);
      left -= 1;
      if (left < 0) await new Promise(() => {});
      process.stdout.write(`${JSON.stringify(address)}\n`);
      return { result: resultOf(address, /[05]@/.test(address) ? 'unknown' : 'deliverable'), evidence: [] };
    },
  },
);
