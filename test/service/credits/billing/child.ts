/**
 * A process for tests: it asks billing again as the service does, and verifies an address or creates a batch if it is
 * told to. It writes a line for each response.
 */
import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { startPayments } from '../../../../src/service/app/background.ts';
import { createBatch } from '../../../../src/service/batch/create-batch.ts';
import { entriesOf } from '../../../../src/service/batch/entries/collected-entries.ts';
import { silentLog } from '../../../../src/service/core/log.ts';
import { createBilling } from '../../../../src/service/credits/billing/billing.ts';
import { createUntilUnlocked } from '../../../../src/service/credits/unlocked.ts';
import { columnTypes } from '../../../../src/service/database/column-types.ts';
import type { Schema } from '../../../../src/service/database/schema.ts';
import { createJobMonitors } from '../../../../src/service/jobs/job-monitor.ts';
import { createLiveVerifications } from '../../../../src/service/verify/live/live-verifications.ts';
import { DEPS } from '../../support/deps.ts';
import { holdLease } from '../../support/process.ts';
import { resultOf } from '../../support/result.ts';

const { DATABASE_URL, BILLING_URL: url = '', BILLING_SECRET: secret = '' } = process.env;
const { ACCOUNT_ID: accountId = '', WANTED, FROZEN } = process.env;
const pool = new pg.Pool({
  ...{ connectionString: DATABASE_URL!, max: 8, types: columnTypes, application_name: 'child' },
});
pool.on('error', () => {});
pool.on('connect', (client) => client.on('error', () => {}));
const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
const processId = randomUUID();
const write = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);

if (FROZEN) {
  globalThis.fetch = () => {
    write({ frozen: true });
    return new Promise(() => {});
  };
}

const lease = await holdLease(DATABASE_URL!, processId);
const billing = createBilling({
  ...{ db, processId, lease, log: silentLog, url, secret },
  untilUnlocked: createUntilUnlocked(db),
  ...{ perDay: 20, publicKeys: false },
});
startPayments(billing, silentLog, createJobMonitors().begin('payments'), 50);
const deps = { ...DEPS, db, processId, lease, billing };
const live = createLiveVerifications(deps, {
  verifier: async ({ address }) => ({ result: resultOf(address), evidence: [] }),
});
write({ ready: true });

if (WANTED === 'verification') {
  const { kind } = await live.verify({
    ...{ accountId, address: 'ada@example.com', smtp: true, acceptAll: false, timeoutMs: 5000 },
  });
  write({ kind });
}
if (WANTED === 'batch') {
  const addresses = Array.from({ length: 5 }, (_, number) => `a${number}@example.com`);
  const entries = entriesOf(addresses.map((address) => ({ address, duplicates: 0 })));
  const { kind } = await createBatch(deps, {
    ...{ accountId, mode: 'live', total: 5, entries, responseFields: null, retries: false, url: null },
  });
  write({ kind });
}
