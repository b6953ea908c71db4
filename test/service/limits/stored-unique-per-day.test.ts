import { sql } from 'kysely';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { forgetVisitors } from '../../../src/service/limits/limit-store.ts';
import { createStoredUniquePerDayLimit } from '../../../src/service/limits/stored-unique-per-day.ts';
import {
  createUniquePerDayLimit,
  type UniquePerDayLimit,
} from '../../../src/service/limits/unique-per-day.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';

const database = await testDatabase();

const accountId = await makeAccount(database.db);
let keys = 0;
async function nextVisitor() {
  const keyId = `key_${++keys}`;
  await database.db
    .insertInto('keys')
    .values({ id: keyId, account_id: accountId, kind: 'private', mode: 'live' })
    .execute();
  return { keyId, ip: '198.51.100.7' };
}

interface Form {
  readonly limit: UniquePerDayLimit;
  /** Lets a day pass for what has been counted. */
  passDay(): Promise<void> | void;
}

const FORMS: Record<string, (max: number) => Form> = {
  'in memory': (max) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    return {
      limit: createUniquePerDayLimit(max),
      passDay: () => void vi.setSystemTime(Date.now() + 86_400_000),
    };
  },
  'in the database': (max) => ({
    limit: createStoredUniquePerDayLimit(database.db, max),
    passDay: async () => {
      await sql`update visitors set day = day - 1`.execute(database.db);
    },
  }),
};

describe.each(Object.entries(FORMS))('the limit of addresses per day %s', (_name, create) => {
  afterAll(() => void vi.useRealTimers());

  it('counts when it takes, not when it is asked', async () => {
    const visitor = await nextVisitor();
    const { limit } = create(1);
    expect(await limit.allows(visitor, 'a@b.example')).toBe(true);
    expect(await limit.allows(visitor, 'c@d.example')).toBe(true);
    expect(await limit.take(visitor, 'a@b.example')).toBe('new');
    expect(await limit.allows(visitor, 'c@d.example')).toBe(false);
    expect(await limit.take(visitor, 'c@d.example')).toBe(false);
  });

  it('gives the latest address back, and no earlier one', async () => {
    const visitor = await nextVisitor();
    const { limit } = create(2);
    await limit.giveBack(visitor, 'a@b.example');
    for (const address of ['a@b.example', 'c@d.example']) await limit.take(visitor, address);
    await limit.giveBack(visitor, 'a@b.example');
    expect(await limit.allows(visitor, 'e@f.example')).toBe(false);
    await limit.giveBack(visitor, 'C@d.example');
    expect(await limit.take(visitor, 'e@f.example')).toBe('new');
    expect(await limit.take(visitor, 'c@d.example')).toBe(false);
  });

  it('allows the addresses of the day again, in any case', async () => {
    const visitor = await nextVisitor();
    const { limit } = create(2);
    const taken: unknown[] = [];
    for (const address of ['a@b.example', 'c@d.example', 'A@b.example', 'C@D.example'])
      taken.push(await limit.take(visitor, address));
    expect(taken).toEqual(['new', 'new', 'known', 'known']);
    expect(await limit.allows(visitor, 'A@B.EXAMPLE')).toBe(true);
    expect(await limit.take(visitor, 'e@f.example')).toBe(false);
  });

  it('counts a repeated address once', async () => {
    const visitor = await nextVisitor();
    const { limit } = create(2);
    const taken: unknown[] = [];
    for (const address of ['a@b.example', 'A@b.example', 'c@d.example'])
      taken.push(await limit.take(visitor, address));
    expect(taken).toEqual(['new', 'known', 'new']);
  });

  it('counts each key and each network by itself', async () => {
    const visitor = await nextVisitor();
    const { limit } = create(1);
    await limit.take(visitor, 'a@b.example');
    expect(await limit.allows(visitor, 'c@d.example')).toBe(false);
    expect(await limit.take(await nextVisitor(), 'c@d.example')).toBe('new');
    expect(await limit.allows({ ...visitor, ip: '198.51.100.8' }, 'c@d.example')).toBe(true);
    expect(await limit.take({ ...visitor, ip: '198.51.100.8' }, 'c@d.example')).toBe('new');
    await limit.take({ ...visitor, ip: '2001:db8:0:1::1' }, 'a@b.example');
    expect(await limit.take({ ...visitor, ip: '2001:db8:0:1:ffff::2' }, 'c@d.example')).toBe(false);
    expect(await limit.take({ ...visitor, ip: '2001:db8:0:2::1' }, 'c@d.example')).toBe('new');
  });

  it('starts again the next day', async () => {
    const visitor = await nextVisitor();
    const { limit, passDay } = create(1);
    await limit.take(visitor, 'a@b.example');
    await passDay();
    expect(await limit.allows(visitor, 'c@d.example')).toBe(true);
    expect(await limit.take(visitor, 'c@d.example')).toBe('new');
    expect(await limit.take(visitor, 'a@b.example')).toBe(false);
  });

  it('says how long the day lasts', async () => {
    const { limit } = create(1);
    expect(await limit.secondsToReset()).toBeGreaterThanOrEqual(1);
    expect(await limit.secondsToReset()).toBeLessThanOrEqual(86_400);
  });
});

it('ends the day by the clock of the database', async () => {
  const limit = createStoredUniquePerDayLimit(database.db, 1);
  const expected = await limit.secondsToReset();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * 3_600_000 });
  const seconds = await limit.secondsToReset();
  vi.useRealTimers();
  // A day may have ended in between.
  expect((expected - seconds + 86_400) % 86_400).toBeLessThan(3_600);
});

it('takes exactly 10 of 60 addresses that arrive at two processes together', async () => {
  const visitor = await nextVisitor();
  const limits = [1, 2].map(() => createStoredUniquePerDayLimit(database.connect(20), 10));
  const addresses = Array.from({ length: 60 }, (_, number) => `a${number}@b.example`);
  const takeAll = () =>
    Promise.all(addresses.map((address, number) => limits[number % 2]!.take(visitor, address)));
  const taken = await takeAll();
  expect(taken.filter(Boolean)).toHaveLength(10);
  expect((await takeAll()).map(Boolean)).toEqual(taken.map(Boolean));
});

it('does not store addresses in clear', async () => {
  const visitor = await nextVisitor();
  await createStoredUniquePerDayLimit(database.db, 2).take(visitor, 'secret@b.example');
  const { rows } = await sql<{ found: boolean }>`
    select addresses::text like '%' || encode('secret', 'hex') || '%' as found from visitors
    where key_id = ${visitor.keyId}
  `.execute(database.db);
  expect(rows).toEqual([{ found: false }]);
});

it('forgets the visitors of the days before, and no others', async () => {
  const visitor = await nextVisitor();
  const limit = createStoredUniquePerDayLimit(database.db, 1);
  await limit.take(visitor, 'a@b.example');
  await sql`update visitors set day = day - 1 where key_id = ${visitor.keyId}`.execute(database.db);
  await limit.take(visitor, 'a@b.example');
  const days = () =>
    database.db.selectFrom('visitors').where('key_id', '=', visitor.keyId).select('day').execute();
  expect(await days()).toHaveLength(2);
  await forgetVisitors(database.db);
  expect(await days()).toHaveLength(1);
  expect(await limit.take(visitor, 'c@d.example')).toBe(false);
});
