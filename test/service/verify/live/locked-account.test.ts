/** A locked row holds up only the requests that need it. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, it, vi } from 'vitest';
import { createBatch } from '../../../../src/service/batch/create-batch.ts';
import { entriesOf } from '../../../../src/service/batch/entries/collected-entries.ts';
import { createUntilUnlocked, type UntilUnlocked } from '../../../../src/service/credits/unlocked.ts';
import type { Db } from '../../../../src/service/database/schema.ts';
import { createIdempotency } from '../../../../src/service/idempotency/idempotency.ts';
import type { LiveAnswer, LiveRequest } from '../../../../src/service/verify/live/live-verifications.ts';
import { withResolvers } from '../../../with-resolvers.ts';
import { creditsOf, ledgerOf, makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS } from '../../support/deps.ts';
import { type ScriptedVerifier, scriptVerifier, startLive } from '../../support/live.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { onRows } from '../../support/plugins.ts';
import { silence } from '../../support/process.ts';

const { db, connect } = await testDatabase();
/** Fewer connections than requests that wait. */
const few = connect(3, 'service');

let script: ScriptedVerifier;
beforeEach(() => {
  script = scriptVerifier();
});

/** Longer than any of these tests, so that no answer is due to it. */
const PATIENT_MS = 120_000;
const RATE = { endpoint: '/v1/verify', limit: 1_000 };

const question = (accountId: string, number = 0, more: Partial<LiveRequest> = {}): LiveRequest => ({
  ...{ accountId, address: `a${number}@example.com`, smtp: true, acceptAll: false },
  ...{ timeoutMs: PATIENT_MS, rate: RATE, ...more },
});
const kindsOf = async (answers: readonly Promise<LiveAnswer>[]) => [
  ...new Set((await Promise.all(answers)).map(({ kind }) => kind)),
];
const others = () => Promise.all(Array.from({ length: 120 }, () => makeAccount(db, 1)));
const rowOf = (table: string) => (operator: Db, id: string) =>
  sql`select from ${sql.table(table)} where account_id = ${id} for update`.execute(operator);

/** Holds a lock while the function runs, like an operator's open transaction. */
const whileLocked = <Result>(
  lock: (operator: Db) => Promise<unknown>,
  run: () => Promise<Result>,
): Promise<Result> =>
  db.transaction().execute(async (operator) => {
    await lock(operator);
    return run();
  });
const lockAccount = (id: string) => (operator: Db) =>
  sql`select from accounts where id = ${id} for update`.execute(operator);

it('answers 120 others while an account is locked, and its own requests afterwards', async () => {
  const locked = await makeAccount(db, 40);
  const all = await others();
  const { live } = await startLive(few, script.verifier);
  script.answer('deliverable', 'always');
  const { late } = await whileLocked(lockAccount(locked), async () => {
    const late = Array.from({ length: 40 }, (_, number) => live.verify(question(locked, number)));
    expect(await kindsOf(all.map((id) => live.verify(question(id))))).toEqual(['result']);
    expect(await kindsOf(all.map((id) => live.verify(question(id, 1))))).toEqual(['no-credits']);
    expect(await creditsOf(db, locked)).toBe(40);
    return { late };
  });
  expect(await kindsOf(late)).toEqual(['result']);
  expect(await creditsOf(db, locked)).toBe(0);
  expect(await ledgerOf(db, locked)).toEqual({ 'top-up': 1, verification: 40 });
});

/** Requests with an Idempotency-Key, in a process of its own. */
async function startKeyed(pool: Db) {
  const { live, processId } = await startLive(pool, script.verifier);
  const idempotency = createIdempotency({ db: pool, processId });
  const verifyKeyed = async (accountId: string, number = 0) => {
    const request = { accountId, mode: 'live', route: '/v1/verify', key: `k${number}` } as const;
    const { kind } = await idempotency.run({ ...request, request: randomBytes(32) }, async () => {
      const answer = await live.verify(question(accountId, number));
      return { status: answer.kind === 'result' ? 200 : 402, body: '{}' };
    });
    return kind;
  };
  return { live, verifyKeyed };
}

it('answers 120 others with and without an Idempotency-Key while an account with keyed requests is locked', async () => {
  const locked = await makeAccount(db, 40);
  const all = await others();
  const { live, verifyKeyed } = await startKeyed(few);
  script.answer('deliverable', 'always');
  const { late } = await whileLocked(lockAccount(locked), async () => {
    const late = Array.from({ length: 40 }, (_, number) => verifyKeyed(locked, number));
    expect(new Set(await Promise.all(all.slice(0, 60).map((id) => verifyKeyed(id))))).toEqual(
      new Set(['response']),
    );
    expect(await kindsOf(all.slice(60).map((id) => live.verify(question(id))))).toEqual(['result']);
    return { late };
  });
  expect(new Set(await Promise.all(late))).toEqual(new Set(['response']));
  expect(await creditsOf(db, locked)).toBe(0);
  expect(await ledgerOf(db, locked)).toEqual({ 'top-up': 1, verification: 40 });
});

/** @param untilUnlocked as a process has it */
function createLocked(pool: Db, accountId: string, untilUnlocked: UntilUnlocked, number = 0) {
  const names = ['a', 'b'].map((name) => ({ address: `${name}${number}@example.com`, duplicates: 0 }));
  return createBatch(
    { ...DEPS, db: pool, processId: randomUUID(), untilUnlocked },
    {
      ...{ accountId, mode: 'live', total: 2, entries: entriesOf(names) },
      ...{ responseFields: null, retries: true, url: null },
    },
  );
}

it.each(['update', 'no key update'])(
  'answers 120 others while an account that makes batches is locked for %s',
  async (how) => {
    const locked = await makeAccount(db, 40);
    const all = await others();
    const { live } = await startLive(few, script.verifier);
    script.answer('deliverable', 'always');
    const untilUnlocked = createUntilUnlocked(few);
    const lock = (operator: Db) =>
      sql`select from accounts where id = ${locked} for ${sql.raw(how)}`.execute(operator);
    const { late } = await whileLocked(lock, async () => {
      const late = Array.from({ length: 20 }, (_, number) =>
        createLocked(few, locked, untilUnlocked, number),
      );
      expect(await kindsOf(all.map((id) => live.verify(question(id))))).toEqual(['result']);
      return { late };
    });
    expect(new Set((await Promise.all(late)).map(({ kind }) => kind))).toEqual(new Set(['created']));
    expect(await creditsOf(db, locked)).toBe(0);
    expect(await ledgerOf(db, locked)).toEqual({ 'top-up': 1, batch: 20 });
  },
);

it('gives its connection back if an account is locked while it creates a batch', async () => {
  const locked = await makeAccount(db, 2);
  const one = connect(1, 'one connection');
  const looks = createUntilUnlocked(one);
  let isFirst = true;
  const { promise: second, resolve: isSecond } = withResolvers();
  const lock = (operator: Db) =>
    sql`select from accounts where id = ${locked} for no key update`.execute(operator);
  const { created } = await whileLocked(lock, async () => {
    const created = createLocked(one, locked, async (id) => {
      // Locked a moment after the first look, so that the creation waits for the lock, and then looks again.
      if (isFirst) {
        isFirst = false;
        return;
      }
      isSecond();
      await looks(id);
    });
    await second;
    // This waits for the only connection.
    await sql`select`.execute(one);
    return { created };
  });
  expect(await created).toMatchObject({ kind: 'created' });
  expect(await creditsOf(db, locked)).toBe(0);
});

it('counts a request once, although it tries several times', async () => {
  const locked = await makeAccount(db, 1);
  let asked = 0;
  const count = onRows(([first = {}]) => {
    if ('verification_id' in first) asked += 1;
  });
  const { live } = await startLive(few.withPlugin(count), script.verifier);
  script.answer('deliverable', 'always');
  const { late } = await whileLocked(lockAccount(locked), async () => {
    const late = live.verify(question(locked));
    await vi.waitUntil(() => asked > 3, PATIENTLY);
    return { late };
  });
  expect(await late).toMatchObject({ kind: 'result', rate: { count: 1, remaining: 999 } });
  const rates = db.selectFrom('rates').select('count').where('account_id', '=', locked);
  expect(await rates.execute()).toEqual([{ count: 1 }]);
});

it('answers 429 at once, although the account is locked', async () => {
  const locked = await makeAccount(db, 1);
  const { live } = await startLive(few, script.verifier);
  const answer = await whileLocked(lockAccount(locked), () =>
    live.verify(question(locked, 0, { rate: { ...RATE, limit: 0 } })),
  );
  expect(answer).toMatchObject({ kind: 'rate-exceeded', rate: { isExceeded: true } });
});

it.each([
  ['count of requests', rowOf('rates')],
  ['spending of a key', rowOf('key_spending')],
])('holds up no other account while the %s of one is locked', async (_what, lock) => {
  const locked = await makeAccount(db, 5);
  const all = await others();
  const { live } = await startLive(few, script.verifier);
  script.answer('deliverable', 'always');
  const payer = { keyId: `key_of_${locked}`, limit: undefined };
  await live.verify(question(locked, 0, { payer }));
  const { late } = await whileLocked(
    (operator) => lock(operator, locked),
    async () => {
      const late = [1, 2, 3, 4].map((number) => live.verify(question(locked, number, { payer })));
      expect(await kindsOf(all.map((id) => live.verify(question(id))))).toEqual(['result']);
      return { late };
    },
  );
  expect(await kindsOf(late)).toEqual(['result']);
  expect(await creditsOf(db, locked)).toBe(0);
});

it('ends the verifications of others while a refund waits for its locked account', async () => {
  const locked = await makeAccount(db, 3);
  const all = await others();
  const { live } = await startLive(few, script.verifier);
  const own = [0, 1, 2].map((number) => live.verify(question(locked, number)));
  const answers = all.map((id) => live.verify(question(id)));
  await script.called(123);
  let isOpen = true;
  await whileLocked(lockAccount(locked), async () => {
    // Unknown results are given back.
    script.answer('unknown');
    expect(await kindsOf(answers)).toEqual(['result']);
    void Promise.all(own).then(() => {
      isOpen = false;
    });
    expect(await creditsOf(db, all[0]!)).toBe(1);
    expect(isOpen).toBe(true);
  });
  expect(await kindsOf(own)).toEqual(['result']);
  expect(await creditsOf(db, locked)).toBe(3);
});

it('ends the verifications of others while those of one account are locked', async () => {
  const locked = await makeAccount(db, 1);
  const all = await others();
  const { live } = await startLive(few, script.verifier);
  const own = live.verify(question(locked));
  const answers = all.map((id) => live.verify(question(id)));
  await script.called(121);
  const lock = (operator: Db) => rowOf('verifications')(operator, locked);
  await whileLocked(lock, async () => {
    script.answer();
    expect(await kindsOf(answers)).toEqual(['result']);
  });
  expect(await kindsOf([own])).toEqual(['result']);
});

it('refunds the verifications of dead processes, except those of a locked account', async () => {
  const [locked, other] = [await makeAccount(db, 1), await makeAccount(db, 1)];
  const dead = await startLive(few, script.verifier);
  for (const id of [locked, other]) void dead.live.verify(question(id)).catch(() => {});
  await script.called(2);
  await silence(db, dead.processId, 60);
  const { live } = await startLive(few, script.verifier);
  await whileLocked(lockAccount(locked), async () => {
    await live.refundLost();
    expect(await creditsOf(db, other)).toBe(1);
  });
  expect(await creditsOf(db, locked)).toBe(0);
  await live.refundLost();
  expect(await creditsOf(db, locked)).toBe(1);
});

it('takes no credit for a request that has got its response', async () => {
  const locked = await makeAccount(db, 1);
  const { live } = await startLive(few, script.verifier);
  await whileLocked(lockAccount(locked), async () => {
    const late = live.verify(question(locked, 0, { timeoutMs: 1 }));
    await expect(late).rejects.toMatchObject({ code: 'databaseSlow' });
  });
  await live.stop();
  // A start that was on its way takes it, and gives it back.
  await vi.waitFor(async () => expect(await creditsOf(db, locked)).toBe(1), PATIENTLY);
  expect(script.calls).toEqual([]);
});
