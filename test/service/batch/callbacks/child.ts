/** A process for tests: it sends callbacks, and writes a line when it works. */
import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { startCallbackWorker } from '../../../../src/service/batch/callbacks/callback-worker.ts';
import { silentLog } from '../../../../src/service/core/log.ts';
import { columnTypes } from '../../../../src/service/database/column-types.ts';
import type { Schema } from '../../../../src/service/database/schema.ts';
import { startProcessHeartbeat } from '../../../../src/service/jobs/process-heartbeat.ts';
import { DEPS, settingsWith } from '../../support/deps.ts';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL!, max: 5, types: columnTypes });
const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
const processId = randomUUID();
await startProcessHeartbeat({ db, processId, log: silentLog });
const settings = settingsWith({ callbacks: { allowPrivateAddresses: true } });
startCallbackWorker({ ...DEPS, db, processId, settings }, { lookEveryMs: 50 });
process.stdout.write('"working"\n');
