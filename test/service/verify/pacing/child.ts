/** A process for tests: it begins a conversation, says so, and never ends it. */
import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { silentLog } from '../../../../src/service/core/log.ts';
import { columnTypes } from '../../../../src/service/database/column-types.ts';
import type { Schema } from '../../../../src/service/database/schema.ts';
import { startProcessHeartbeat } from '../../../../src/service/jobs/process-heartbeat.ts';
import { createStoredPacing } from '../../../../src/service/verify/pacing/stored-pacing.ts';

const { DATABASE_URL, ORGANISATION = '' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL!, max: 2, types: columnTypes });
const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
const processId = randomUUID();

await startProcessHeartbeat({ db, processId, log: silentLog });
const pacing = createStoredPacing({ db, processId, log: silentLog });
const limits = { connections: 1, perMinute: 1000 };
const entered = await pacing.enter(ORGANISATION, limits, 1000, new AbortController().signal);
if (typeof entered === 'string') throw new Error(`Expected a slot, got ${entered}.`);
process.stdout.write(`${JSON.stringify({ processId })}\n`);
