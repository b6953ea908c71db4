import { sql } from 'kysely';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Db } from '../../../src/service/database/schema.ts';
import { countRequests } from '../../../src/service/limits/limit-store.ts';
import { createRateLimit, type RateCount, type RateLimit } from '../../../src/service/limits/rate-limit.ts';
import { createStoredRateLimit } from '../../../src/service/limits/stored-rate.ts';
import { readDailyCounts } from '../../../src/service/usage/usage-store.ts';
import { makeAccount } from '../support/account.ts';
import { expectExactBooks } from '../support/books.ts';
import { countRoundTrips } from '../support/counted-database.ts';
import { testDatabase } from '../support/database.ts';

const database = await testDatabase();

interface Form {
  readonly limit: RateLimit;
  /** Lets time pass for what has been counted. */
  pass(ms: number): Promise<void> | void;
}

const FORMS: Record<string, () => Form> = {
  'in memory': () => {
    vi.useFakeTimers();
    return { limit: createRateLimit(), pass: (ms) => void vi.advanceTimersByTime(ms) };
  },
  'in the database': () => ({
    limit: createStoredRateLimit(database.db),
    pass: (ms) => moveBack(database.db, ms),
  }),
};

/** The counts by the second that they belong to. */
function groupBySecond(counts: readonly RateCount[]): RateCount[][] {
  const ends = new Set(counts.map(({ resetsAt }) => resetsAt.getTime()));
  return [...ends].map((end) => counts.filter(({ resetsAt }) => resetsAt.getTime() === end));
}

/** The counts of requests in one second. If a machine that stalls has begun another one meanwhile, they are sent again. */
async function inOneSecond(send: () => Promise<RateCount[]>): Promise<RateCount[]> {
  for (;;) {
    const counts = await send();
    if (groupBySecond(counts).length === 1) return counts;
  }
}

async function moveBack(db: Db, ms: number): Promise<void> {
  await sql`update rates set started_at = started_at - ${ms} * interval '1 ms'`.execute(db);
}

let accounts = 0;
const nextRequest = (limit = 2) => ({ subject: `acc_${++accounts}`, endpoint: '/v1/verify', limit });

/** The first two counts of a request in one second, sent again if a machine that stalls has begun another one meanwhile. */
async function consumeTwice({ limit, pass }: Form, betweenMs = 0) {
  for (;;) {
    const request = nextRequest(1);
    const first = await limit.consume(request);
    await pass(betweenMs);
    const second = await limit.consume(request);
    if (second.count > 1) return { request, first, second };
  }
}

describe.each(Object.entries(FORMS))('the rate limit %s', (_name, create) => {
  const start = () => create();
  afterAll(() => void vi.useRealTimers());

  it('allows as many requests as the limit, and says how many remain', async () => {
    const { limit } = start();
    const counts = await inOneSecond(async () => {
      const request = nextRequest(2);
      return [await limit.consume(request), await limit.consume(request), await limit.consume(request)];
    });
    expect(counts).toMatchObject([
      { count: 1, limit: 2, remaining: 1, isExceeded: false },
      { count: 2, limit: 2, remaining: 0, isExceeded: false },
      { count: 3, limit: 2, remaining: 0, isExceeded: true },
    ]);
  });

  it('says that the count begins anew a second after the first request', async () => {
    const { limit } = start();
    const before = Date.now();
    const { resetsAt } = await limit.consume(nextRequest());
    expect(resetsAt.getTime()).toBeGreaterThanOrEqual(before + 1_000);
  });

  it('counts each account and each endpoint by itself', async () => {
    const { limit } = start();
    const counts = await inOneSecond(async () => {
      const request = nextRequest(1);
      const first = await limit.consume(request);
      for (const other of [{ subject: `${request.subject} other` }, { endpoint: '/v1/batch' }])
        expect(await limit.consume({ ...request, ...other })).toMatchObject({ isExceeded: false });
      return [first, await limit.consume(request)];
    });
    expect(counts.map(({ isExceeded }) => isExceeded)).toEqual([false, true]);
  });

  it('takes a limit that was raised into account at once', async () => {
    const { limit } = start();
    const [, raised] = await inOneSecond(async () => {
      const request = nextRequest(1);
      return [await limit.consume(request), await limit.consume({ ...request, limit: 2 })];
    });
    expect(raised).toMatchObject({ count: 2, isExceeded: false });
  });

  it('starts a new second one second after the first request, not after the last', async () => {
    const { limit, pass } = start();
    const { request, second } = await consumeTwice({ limit, pass }, 100);
    expect(second).toMatchObject({ count: 2, isExceeded: true });
    await pass(900);
    expect(await limit.consume(request)).toMatchObject({ count: 1, isExceeded: false });
  });

  it('says when the second is over', async () => {
    const { limit, pass } = start();
    const { request, first, second } = await consumeTwice({ limit, pass });
    expect(second.resetsAt.getTime() - first.resetsAt.getTime()).toBeLessThanOrEqual(1);
    await pass(1000);
    const third = await limit.consume(request);
    // In the database the row is moved and no time passes, so both seconds may end in the same millisecond.
    expect(third.resetsAt.getTime()).toBeGreaterThanOrEqual(first.resetsAt.getTime());
    expect(third.count).toBe(1);
  });
});

it('allows exactly 25 of 60 requests that arrive at two processes together', async () => {
  const limits = [database.connect(20), database.connect(20)].map(createStoredRateLimit);
  const request = nextRequest(25);
  const sent = Array.from({ length: 60 }, (_, number) => limits[number % 2]!.consume(request));
  const counts = await Promise.all(sent);
  // On a machine that stalls, the requests can take more than one second.
  const seconds = groupBySecond(counts);
  for (const second of seconds) {
    const inOrder = second.map(({ count }) => count).sort((a, b) => a - b);
    expect(inOrder).toEqual(second.map((_, index) => index + 1));
    expect(second.filter(({ isExceeded }) => !isExceeded)).toHaveLength(Math.min(25, second.length));
  }
});

it('starts a new second if the clock of the database was set back', async () => {
  const request = nextRequest(1);
  const limit = createStoredRateLimit(database.db);
  await limit.consume(request);
  await moveBack(database.db, -60_000);
  expect(await limit.consume(request)).toMatchObject({ count: 1 });
});

it('counts the requests of an account that come together in one round trip', async () => {
  const counted = countRoundTrips(database.url);
  onTestFinished(counted.close);
  const limit = createStoredRateLimit(counted.db);
  const counts = await inOneSecond(() => {
    counted.take();
    const request = nextRequest(25);
    return Promise.all(Array.from({ length: 40 }, () => limit.consume(request)));
  });
  // A first round trip that takes longer than the patience ends after the second.
  const inOrder = counts.map(({ count }) => count).sort((one, other) => one - other);
  expect(inOrder).toEqual(counts.map((_, index) => index + 1));
  // The first goes at once, and the others together.
  expect(counted.take()).toHaveLength(2);
});

it('counts the sample results of the requests within their limit, and of no other', async () => {
  const subject = await makeAccount(database.db);
  const endpoint = '/v1/verify';
  const timeout = { limit: 2, sample: 'timeout' } as const;
  const later = [
    { ...timeout, limit: 4 },
    { limit: 5, sample: 'invalid_email' },
  ] as const;
  const requests = [timeout, { limit: 2 }, timeout, ...later];
  expect(await countRequests(database.db, subject, endpoint, requests)).toMatchObject({ requests: 5 });
  // These are in the same second, or a machine that stalls has begun the next one with them.
  const { requests: last } = await countRequests(database.db, subject, endpoint, requests);
  const again = last === 5 ? 2 : 1;
  expect(await readDailyCounts(database.db, subject, { mode: 'test', days: 1 })).toMatchObject([
    { reason: 'invalid_email', count: again },
    { reason: 'timeout', count: 2 * again },
  ]);
  await expectExactBooks(database.db);
});

it('holds up no other account while the row of one is locked', async () => {
  const limit = createStoredRateLimit(database.connect(4));
  const [held, other] = [nextRequest(), nextRequest()];
  await limit.consume(held);
  let late: Promise<RateCount> | undefined;
  const operator = database.connect(1);
  await operator.transaction().execute(async (transaction) => {
    await sql`select from rates where account_id = ${held.subject} for update`.execute(transaction);
    late = limit.consume(held);
    expect(await limit.consume(other)).toMatchObject({ count: 1 });
  });
  expect((await late!).count).toBeGreaterThan(0);
});
