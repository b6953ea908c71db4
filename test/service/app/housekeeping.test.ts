import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { clearUp, startHousekeeping } from '../../../src/service/app/housekeeping.ts';
import { silentLog } from '../../../src/service/core/log.ts';
import { digestRequest } from '../../../src/service/idempotency/idempotency-header.ts';
import { storeResponse, takeKey } from '../../../src/service/idempotency/idempotency-store.ts';
import { takeAddress } from '../../../src/service/limits/limit-store.ts';
import { creditsOf, makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { scriptVerifier, startLive } from '../support/live.ts';

const { db } = await testDatabase();

/** The tables that the housekeeping clears, with the columns that make a row old. */
const AGED = {
  idempotency: 'created_at',
  visitors: 'day',
  processes: 'alive_at',
  verifications: 'expires_at',
  paces: 'used_at',
  sessions: 'expires_at',
  guesses: 'guessed_at',
};

async function countRows(): Promise<number[]> {
  const counts = Object.keys(AGED).map((table) =>
    sql<{ rows: number }>`
    select count(*) as rows from ${sql.table(table)}
  `.execute(db),
  );
  return (await Promise.all(counts)).map(({ rows }) => rows[0]!.rows);
}

it('clears what is no longer needed in every table, and only that', async () => {
  const accountId = await makeAccount(db, 5);
  await db
    .insertInto('keys')
    .values({ id: 'key_1', account_id: accountId, kind: 'private', mode: 'live' })
    .execute();
  const script = scriptVerifier();
  const live = await startLive(db, script.verifier);
  const question = { accountId, smtp: true, acceptAll: false, timeoutMs: 10 };
  await live.verify({ ...question, address: 'kept@example.com' });
  script.answer();
  await live.stop();
  const keyed = {
    ...({ accountId, mode: 'live', route: '/v1/verify', key: 'k' } as const),
    request: digestRequest('/v1/verify', ''),
  };
  await takeKey(db, keyed, live.processId);
  await storeResponse(db, keyed, live.processId, { status: 200, body: '{}' });
  await takeAddress(db, { keyId: 'key_1', ip: '::1' }, 'ada@example.com', 10);

  await db.insertInto('paces').values({ organisation: 'Example' }).execute();
  const created_at = new Date(Date.now() - 3 * 86_400_000);
  const expires_at = new Date(Date.now() + 3_600_000);
  const session = { id: Buffer.alloc(32), account_id: accountId, created_at, expires_at };
  await db.insertInto('sessions').values(session).execute();
  await db
    .insertInto('guesses')
    .values({ subject: Buffer.alloc(32), wrong: 1 })
    .execute();

  const options = { forgetBatchResults: async () => {}, db, refundLost: live.refundLost, log: silentLog };
  const refused = { key_id: 'key_1', reason: 'ip' as const, seen_from: '::1', count: 1 };
  const month = new Date(Date.now() - 31 * 86_400_000);
  await db
    .insertInto('key_refusals')
    .values({ ...refused, first_at: month, last_at: month })
    .execute();
  await clearUp(options);
  expect(await db.selectFrom('key_refusals').select('key_id').execute()).toEqual([]);
  expect(await countRows()).toEqual([1, 1, 1, 1, 1, 1, 1]);
  for (const [table, column] of Object.entries(AGED)) {
    await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} - interval '2 days'
    `.execute(db);
  }
  await Promise.all([clearUp(options), clearUp(options)]);
  expect(await countRows()).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

it('runs again and again, also after a failure, and gives back what dead processes ran', async () => {
  const accountId = await makeAccount(db, 1);
  const dead = await startLive(db, scriptVerifier().verifier);
  await dead.verify({ accountId, address: 'a@example.com', smtp: true, acceptAll: false, timeoutMs: 10 });
  expect(await creditsOf(db, accountId)).toBe(0);
  await sql`update processes set alive_at = clock_timestamp() - interval '11 seconds'`.execute(db);

  const live = await startLive(db, scriptVerifier().verifier);
  const log = vi.fn();
  const refundLost = vi.fn(live.refundLost).mockRejectedValueOnce(new TypeError('a bug'));
  const housekeeping = startHousekeeping({
    db,
    refundLost,
    forgetBatchResults: async () => {},
    log,
    everyMs: 5,
  });
  await vi.waitUntil(async () => (await creditsOf(db, accountId)) === 1);
  await housekeeping.stop();
  expect(log).toHaveBeenCalledExactlyOnceWith(
    'warn',
    'housekeeping failed',
    expect.objectContaining({ error: 'TypeError' }),
  );
  const runs = refundLost.mock.calls.length;
  await sql`select 1`.execute(db);
  expect(refundLost).toHaveBeenCalledTimes(runs);
});
