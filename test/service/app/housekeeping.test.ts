import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startHousekeeping, tasksOf } from '../../../src/service/app/housekeeping.ts';
import { readAudit, recordAuditEvent } from '../../../src/service/audit/audit-store.ts';
import { GRACE_MS } from '../../../src/service/core/bounds.ts';
import { silentLog } from '../../../src/service/core/log.ts';
import { readLedger } from '../../../src/service/credits/credit-store.ts';
import { deleteAccount } from '../../../src/service/deletion/delete-account.ts';
import { digestRequest } from '../../../src/service/idempotency/idempotency-header.ts';
import { storeResponse, takeKey } from '../../../src/service/idempotency/idempotency-store.ts';
import { takeAddress } from '../../../src/service/limits/limit-store.ts';
import { keepRenewable } from '../../../src/service/verify/renewals/renewal-store.ts';
import { nextTurn } from '../../../src/shared/steps.ts';
import { inLong } from '../../in-long.ts';
import { withResolvers } from '../../with-resolvers.ts';
import { creditsOf, makeAccount } from '../support/account.ts';
import { BILLING_SECRET } from '../support/billing-server.ts';
import { clearUp } from '../support/clear-up.ts';
import { testDatabase } from '../support/database.ts';
import { DEPS, settingsWith } from '../support/deps.ts';
import { holdTimers } from '../support/held-timers.ts';
import { scriptVerifier, startLive } from '../support/live.ts';
import { countOldRows, fillWithOldRows, OLD_TABLES, refuseLargeDeletions } from './old-rows.ts';

const { db } = await testDatabase();

const BILLING = { url: 'https://billing.example/', secret: BILLING_SECRET, perDay: 20, publicKeys: false };

/** The tables that the housekeeping clears, with the columns that make a row old. */
const AGED = {
  ...{ idempotency: 'created_at', visitors: 'day', processes: 'alive_at' },
  ...{ verifications: 'expires_at', renewable_results: 'expires_at', paces: 'used_at' },
  ...{ domain_facts: 'until', sessions: 'expires_at', guesses: 'guessed_at' },
};

async function countRows(): Promise<number[]> {
  const counts = Object.keys(AGED).map((table) =>
    sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(db),
  );
  return (await Promise.all(counts)).map(({ rows }) => rows[0]!.rows);
}

it('clears what is no longer needed in every table, and only that', async () => {
  const accountId = await makeAccount(db, 5);
  const key = { id: 'key_1', account_id: accountId, kind: 'private', mode: 'live' } as const;
  await db.insertInto('keys').values(key).execute();
  const script = scriptVerifier();
  const live = await startLive(db, script.verifier);
  const question = { accountId, smtp: true, acceptAll: false, timeoutMs: 10 };
  // However slow the machine is, the database begins the verification within the grace.
  holdTimers((ms) => ms === GRACE_MS);
  await live.verify({ ...question, address: 'kept@example.com' });
  script.answer();
  await live.stop();
  const request = digestRequest('/v1/verify', '');
  const keyed = { accountId, mode: 'live', route: '/v1/verify', key: 'k', request } as const;
  await takeKey(db, keyed, live.processId);
  await storeResponse(db, keyed, live.processId, { status: 200, body: '{}' });
  const digest = Buffer.alloc(32);
  const renewable = { id: digest, account_id: accountId, question: digest, outcome: digest };
  await keepRenewable(db, [renewable], 3_600);
  await takeAddress(db, { keyId: 'key_1', ip: '::1' }, 'ada@example.com', 10);

  await db.insertInto('paces').values({ organisation: 'Example' }).execute();
  await sql`
    insert into domain_facts (domain, organisation, learnt_at, server, until)
    values ('company.example', 'Example', now(), 'mx.example', now() + interval '1 day')
  `.execute(db);
  const created_at = new Date(Date.now() - 3 * 86_400_000);
  const expires_at = new Date(Date.now() + 3_600_000);
  const session = { id: digest, account_id: accountId, created_at, expires_at };
  await db.insertInto('sessions').values(session).execute();
  await db.insertInto('guesses').values({ subject: digest, wrong: 1 }).execute();

  const tasks = tasksOf({ ...DEPS, db });
  await sql`
    insert into key_refusals (key_id, reason, seen_from, count, first_at, last_at)
    values ('key_1', 'ip', '::1', 1, now() - interval '31 days', now() - interval '31 days')
  `.execute(db);
  await clearUp(tasks);
  expect(await db.selectFrom('key_refusals').select('key_id').execute()).toEqual([]);
  expect(await countRows()).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
  for (const [table, name] of Object.entries(AGED)) {
    const column = sql.ref(name);
    await sql`update ${sql.table(table)} set ${column} = ${column} - interval '2 days'`.execute(db);
  }
  await Promise.all([clearUp(tasks), clearUp(tasks)]);
  expect(await countRows()).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0]);
});

it('keeps single changes of credits and events of the audit log as long as the config says', async () => {
  const accountId = await makeAccount(db, 5);
  await recordAuditEvent(db, {
    ...{ accountId, actor: { kind: 'operator' }, action: 'key.change' },
    subject: { id: 'key_1', name: 'Key' },
  });
  await sql`update ledger set at = at - interval '5 days' where account_id = ${accountId}`.execute(db);
  await sql`update ledger_days set day = day - 5 where account_id = ${accountId}`.execute(db);
  await sql`update audit set at = at - interval '5 days' where account_id = ${accountId}`.execute(db);
  const kept = async () => [
    (await readLedger(db, accountId, 9)).length,
    (await readAudit(db, accountId, { limit: 9 })).length,
  ];
  for (const [ledgerDetail, auditLog, expected] of [
    [6, 6, [1, 1]],
    [6, 4, [1, 0]],
    [4, 4, [0, 0]],
  ] as const) {
    const durations = { ledgerDetail: ledgerDetail * 86_400, auditLog: auditLog * 86_400 };
    await clearUp(tasksOf({ ...DEPS, db, settings: settingsWith({ durations }) }));
    expect(await kept()).toEqual(expected);
  }
  expect(await creditsOf(db, accountId)).toBe(5);
});

it('ends payments that stay open because billing was taken out of the config, and no others', async () => {
  const own = await testDatabase(onTestFinished);
  const logged: unknown[][] = [];
  const tasks = (billing: boolean) =>
    tasksOf({
      ...{ ...DEPS, db: own.db, log: (...event) => void logged.push(event) },
      settings: settingsWith(billing ? { billing: BILLING } : {}),
    });
  const open = async (hours: number, overdueHours: number) => {
    const id = randomUUID();
    await sql`
      insert into payments (id, account, needed, asked_at, next_try_at) values (
        ${id}, ${await makeAccount(own.db)}, 5, clock_timestamp() - make_interval(hours => ${hours}),
        clock_timestamp() - make_interval(hours => ${overdueHours})
      )
    `.execute(own.db);
    return id;
  };
  const [abandoned] = [await open(25, 2), await open(25, 0), await open(23, 2)];
  const ended = async () =>
    own.db.selectFrom('payments').select(['id', 'outcome']).where('ended_at', 'is not', null).execute();
  await clearUp(tasks(true));
  expect(await ended()).toEqual([]);
  await clearUp(tasks(false));
  await clearUp(tasks(false));
  expect(await ended()).toEqual([{ id: abandoned, outcome: 'given up' }]);
  const details = { payment: abandoned, outcome: 'given up', account: expect.any(String) };
  const lines = logged.filter(([, event]) => event === 'payment ended');
  expect(lines).toEqual([['error', 'payment ended', expect.objectContaining(details)]]);
});

inLong('deletes at most 5,000 rows in a statement, however many there are', async () => {
  const counted = await testDatabase(onTestFinished);
  await refuseLargeDeletions(counted.db);
  await fillWithOldRows(counted.db, 5_100);
  const tasks = tasksOf({ ...DEPS, db: counted.db });
  await clearUp(tasks);
  // The account itself is the last thing that is left, with its key and its app.
  await deleteAccount(counted.db, 'a', 0);
  await clearUp(tasks);
  expect(await countOldRows(counted.db)).toEqual(OLD_TABLES.map((table) => [table, 0]));
});

it('goes on with every other task while one fails and one hangs', async () => {
  const log = vi.fn();
  const runs = { failing: 0, hanging: 0, well: 0 };
  const task = (name: keyof typeof runs, work: () => Promise<boolean>) => ({
    name,
    step() {
      runs[name] += 1;
      return work();
    },
  });
  const { promise: hangs, resolve: release } = withResolvers<boolean>();
  const tasks = [
    task('hanging', () => hangs),
    task('failing', () => Promise.reject(new TypeError('a bug'))),
    task('well', async () => false),
  ];
  const housekeeping = startHousekeeping({ log, tasks, everyMs: 1 });
  await vi.waitUntil(() => runs.well > 5 && runs.failing > 5);
  expect(runs.hanging).toBe(1);
  const details = expect.objectContaining({ task: 'failing', error: 'TypeError' });
  expect(log).toHaveBeenCalledWith('warn', 'housekeeping failed', details);
  release(false);
  await housekeeping.stop();
});

it('leaves a task that has more to do to its next turn, so that others have theirs', async () => {
  let turns = 0;
  let isOver = false;
  const endless = { name: 'endless', step: async () => !isOver };
  const step = async () => {
    turns += 1;
    return false;
  };
  const others = ['one', 'two'].map((name) => ({ name, step }));
  // Both run at once, and end with their time.
  const tasks = [endless, { ...endless, name: 'endless too' }, ...others];
  const clock = vi.spyOn(performance, 'now');
  let now = 0;
  clock.mockImplementation(() => (now += 50));
  const housekeeping = startHousekeeping({ log: silentLog, tasks, everyMs: 1 });
  await vi.waitUntil(() => turns > 5);
  clock.mockRestore();
  isOver = true;
  await housekeeping.stop();
});

it('ends a task that has more to do when the service stops', async () => {
  let steps = 0;
  const step = async () => {
    steps += 1;
    await nextTurn();
    return true;
  };
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const housekeeping = startHousekeeping({ log: silentLog, tasks: [{ name: 'endless', step }], everyMs: 1 });
  await vi.waitUntil(() => steps > 0);
  await housekeeping.stop();
  clock.mockRestore();
  expect(steps).toBeGreaterThan(0);
});
