/** A process for tests: it verifies addresses with idempotency keys, and writes a line for each response. */
import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { silentLog } from '../../../../src/service/core/log.ts';
import { columnTypes } from '../../../../src/service/database/column-types.ts';
import type { Schema } from '../../../../src/service/database/schema.ts';
import { createIdempotency } from '../../../../src/service/idempotency/idempotency.ts';
import { digestRequest } from '../../../../src/service/idempotency/idempotency-header.ts';
import { startProcessHeartbeat } from '../../../../src/service/jobs/process-heartbeat.ts';
import { createLiveVerifications } from '../../../../src/service/verify/live/live-verifications.ts';
import { DEPS } from '../../support/deps.ts';
import { resultOf } from '../../support/result.ts';

const { DATABASE_URL, ACCOUNT_ID: accountId = '', ADDRESSES = '', TIMEOUT_MS, PACE = 'fast' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL!, max: 8, types: columnTypes });
const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
const processId = randomUUID();
const write = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);

await startProcessHeartbeat({ db, processId, log: silentLog });
const live = createLiveVerifications(
  { ...DEPS, db, processId },
  {
    async verifier({ address }) {
      if (PACE === 'never') {
        write({ called: address });
        await new Promise(() => {});
      }
      // Each conversation has its own result.
      return { result: { ...resultOf(address), duration: Math.random() }, evidence: [] };
    },
  },
);
const idempotency = createIdempotency({ db, processId });

async function verify(address: string): Promise<void> {
  const key = `key of ${address}`;
  const request = digestRequest('/v1/verify', address);
  const answer = await idempotency.run(
    { accountId, mode: 'live', route: '/v1/verify', key, request },
    async () => {
      const answer = await live.verify({
        ...{ accountId, address, smtp: true, acceptAll: false, timeoutMs: Number(TIMEOUT_MS ?? 5000) },
        response: { key, bodyOf: JSON.stringify },
      });
      if (answer.kind !== 'result') return { status: 249, body: answer.kind };
      return { status: 200, body: JSON.stringify(answer.result), isStored: answer.isResponseStored };
    },
  );
  write({ address, ...(answer.kind === 'response' ? answer.response : { status: answer.kind }) });
}

const addresses = ADDRESSES.split(',');
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (let address = addresses.shift(); address; address = addresses.shift()) await verify(address);
  }),
);
write({ done: true });
