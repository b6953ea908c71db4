/** While a snapshot is open, such as that of a backup, PostgreSQL keeps every version of a row. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { rounds } from '../../../long.mjs';
import { creditsOf, makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { scriptVerifier, startLive } from '../../support/live.ts';
import { addProcess } from '../../support/process.ts';

const { db, connect } = await testDatabase();
/** One connection, which plans its statements once. */
const measured = connect(1);

const VERIFICATIONS = rounds(5_000, 20_000);
/** How many more blocks the last verification may read than the first: a page of old versions holds some 60. */
const MOST_MORE = VERIFICATIONS / 200;
const AT_ONCE = 50;
const RATE = { endpoint: '/v1/verify', limit: 1_000_000 };

/** The blocks that a statement reads, with those of its functions and triggers. */
async function blocksOf(statement: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>`
    explain (analyze, buffers, format json) ${statement}
  `.execute(measured);
  const [{ Plan: plan }] = rows[0]!['QUERY PLAN'];
  return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
}

/** The blocks that both statements of a verification read. */
async function blocksOfOne(accountId: string): Promise<number> {
  const [id, process] = [randomUUID(), randomUUID()];
  await addProcess(db, process);
  const { rows } = await sql<{ account: string; rate: string }>`
    select accounts.ctid as account, rates.ctid as rate from accounts
    left join rates on account_id = id and endpoint = ${RATE.endpoint} where id = ${accountId}
  `.execute(db);
  // The process has both from its last start.
  const { account, rate } = rows[0]!;
  const start = await blocksOf(sql`
    select * from start_verifications(
      ${process}, 300, ${RATE.endpoint}, ${[id]}, ${[accountId]}, ${[account]}, ${[rate]},
      ${[randomBytes(32)]}, ${[null]}, ${[RATE.limit]}, ${[null]}, ${[null]}
    )
  `);
  const end = await blocksOf(sql`
    select * from settle_verifications(
      ${[id]}, ${[accountId]}, ${[false]}, ${[false]}, ${[true]}, ${[null]}, ${[null]}, ${[null]},
      ${['accepted_email']}
    )
  `);
  return start + end;
}

const LIMIT = { timeout: 180_000 + VERIFICATIONS * 60 };
it(
  `reads few more blocks for the last of ${VERIFICATIONS} verifications than for the first`,
  LIMIT,
  async () => {
    const accountId = await makeAccount(db, 1_000_000);
    const script = scriptVerifier();
    script.answer('deliverable', 'always');
    const { live } = await startLive(connect(5), script.verifier);
    let asked = 0;
    const verify = async () => {
      while (asked < VERIFICATIONS) {
        asked += 1;
        const address = `a${asked}@example.com`;
        const question = { accountId, address, smtp: true, acceptAll: false, timeoutMs: 60_000, rate: RATE };
        expect((await live.verify(question)).kind).toBe('result');
      }
    };
    const reading = db.transaction().setIsolationLevel('repeatable read');
    const { before, after } = await reading.execute(async (snapshot) => {
      await sql`select from accounts limit 1`.execute(snapshot);
      // The first statements also plan.
      await blocksOfOne(accountId);
      const before = await blocksOfOne(accountId);
      await Promise.all(Array.from({ length: AT_ONCE }, verify));
      // What autovacuum does when it takes this long: it finds tables of versions, hardly a row.
      await sql`analyze`.execute(db);
      await blocksOfOne(accountId);
      return { before, after: await blocksOfOne(accountId) };
    });
    expect(after - before).toBeLessThanOrEqual(MOST_MORE);
    expect(await creditsOf(db, accountId)).toBe(1_000_000 - VERIFICATIONS - 4);
  },
);
