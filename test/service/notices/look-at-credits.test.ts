/** Which accounts are told that their credits run low, and how often. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Db } from '../../../src/service/database/schema.ts';
import { deleteAccount } from '../../../src/service/deletion/delete-account.ts';
import { lookAtCredits } from '../../../src/service/notices/look-at-credits.ts';
import { readNotice, removeNoticeUrl, setNoticeUrl } from '../../../src/service/notices/notice-store.ts';
import { creditsOf, topUp } from '../support/account.ts';
import { emptyBeforeEach, testDatabase } from '../support/database.ts';
import { BY_PACE, change, lookAtAll, makeTold, makeUser } from '../support/low.ts';

const { db, connect } = await testDatabase();
emptyBeforeEach(db, 'notices');

const URL = 'https://shop.example/low';
const messageOf = async (id: string) => {
  const columns = ['message_id', 'available', 'needed', 'days_left'] as const;
  const notice = db.selectFrom('notices').select(columns).where('account_id', '=', id);
  const found = await notice.executeTakeFirst();
  return found?.message_id ? found : undefined;
};
/** Runs something on another connection, in a transaction that lasts until it ends. */
const meanwhile = (run: (transaction: Db) => Promise<void>) => connect(1).transaction().execute(run);

it('makes a notice when the credits fall below what the next three days need', async () => {
  const id = await makeUser(db, 31);
  await setNoticeUrl(db, id, URL);
  expect(await lookAtAll(db)).toBe(1);
  expect(await readNotice(db, id)).toMatchObject({ url: URL, told_at: null, state: null });
  await change(db, id, -7);
  expect(await lookAtAll(db)).toBe(1);
  expect(await readNotice(db, id)).toMatchObject({ told_at: expect.any(Date), state: 'waiting' });
  expect(await messageOf(id)).toEqual({
    ...{ message_id: expect.stringMatching(/^msg_[\w-]{36}$/), available: 24, needed: 33 },
    days_left: expect.closeTo((24 * 7) / 77),
  });
});

it('makes one for credits that run low already, once there is a URL', async () => {
  const id = await makeTold(db, URL);
  expect(await messageOf(id)).toMatchObject({ available: 20, needed: 30 });
});

it('makes the next one only after the account had enough again', async () => {
  const id = await makeTold(db, URL);
  const first = (await messageOf(id))!;
  await change(db, id, -5);
  await topUp(db, id, 2);
  expect(await lookAtAll(db)).toBe(1);
  expect(await messageOf(id)).toEqual(first);
  await topUp(db, id, 100);
  await lookAtAll(db);
  expect(await readNotice(db, id)).toMatchObject({ told_at: null, state: null, due_at: null });
  await change(db, id, -100);
  await lookAtAll(db);
  expect((await messageOf(id))!.message_id).not.toBe(first.message_id);
});

it('makes none for an account without a URL, and looks at none', async () => {
  await makeUser(db, 20);
  expect(await lookAtAll(db)).toBe(0);
});

it('looks again only after a change of the credits, or a day later', async () => {
  const id = await makeTold(db, URL);
  expect(await lookAtAll(db)).toBe(0);
  await change(db, id, 1, 'batch-refund');
  expect(await lookAtAll(db)).toBe(1);
  await sql`update notices set look_at = look_at - interval '1 day'`.execute(db);
  expect(await lookAtAll(db)).toBe(1);
  const { rows } = await sql<{ hours: number }>`
    select round(extract(epoch from look_at - clock_timestamp()) / 3600)::integer as hours from notices
  `.execute(db);
  expect(rows).toEqual([{ hours: 24 }]);
});

it('looks at all accounts whose credits change in one statement', async () => {
  const accounts = [await makeTold(db, URL), await makeTold(db, URL), await makeUser(db, 20)];
  await sql`
    insert into ledger (account_id, amount, why, balance)
    select id, 1, 'top-up', 21 from accounts where id = any(${accounts})
  `.execute(db);
  expect(await lookAtAll(db)).toBe(2);
});

describe('with several processes', () => {
  it('makes one notice, although all look at once', async () => {
    const accounts: string[] = [];
    for (let count = 0; count < 10; count += 1) {
      const id = await makeUser(db, 20);
      await setNoticeUrl(db, id, URL);
      accounts.push(id);
    }
    const pools = [1, 2, 3, 4].map(() => connect(1));
    const looks = await Promise.all(pools.map((pool) => lookAtAll(pool)));
    expect(looks.reduce((sum, count) => sum + count)).toBe(10);
    const before = await Promise.all(accounts.map(messageOf));
    await Promise.all(accounts.map((id) => change(db, id, -1)));
    await Promise.all(pools.map((pool) => lookAtAll(pool)));
    expect(await Promise.all(accounts.map(messageOf))).toEqual(before);
  });

  it('misses no change that is committed while others look', async () => {
    const id = await makeUser(db, 31);
    await setNoticeUrl(db, id, URL);
    // The look is due already, so the change does not make it due.
    await meanwhile(async (spending) => {
      await change(spending, id, -7);
      // Whoever changes the credits holds the account, so others look at it later.
      expect(await lookAtCredits(db, BY_PACE)).toBe(false);
    });
    expect(await lookAtCredits(db, BY_PACE)).toBe(true);
    expect(await messageOf(id)).toMatchObject({ available: 24 });
  });

  it('holds up no request, whoever has locked the notice, and looks at it afterwards', async () => {
    const id = await makeTold(db, URL);
    await meanwhile(async (sender) => {
      await sql`update notices set look_at = clock_timestamp() where account_id = ${id}`.execute(sender);
      // On another connection. It would wait for ever.
      await change(db, id, -5);
      expect(await lookAtAll(db)).toBe(0);
    });
    expect(await creditsOf(db, id)).toBe(15);
    expect(await lookAtAll(db)).toBe(1);
  });

  it('looks at other accounts while one is locked', async () => {
    const [locked, other] = [await makeTold(db, URL), await makeTold(db, URL)];
    for (const id of [locked, other]) await topUp(db, id, 100);
    await meanwhile(async (operator) => {
      await sql`select from accounts where id = ${locked} for update`.execute(operator);
      expect(await lookAtAll(db)).toBe(1);
      expect(await messageOf(other)).toBeUndefined();
    });
    expect(await lookAtAll(db)).toBe(1);
    expect(await messageOf(locked)).toBeUndefined();
  });
});

it('tells another URL again, and nothing without one', async () => {
  const id = await makeTold(db, URL);
  const first = (await messageOf(id))!;
  await setNoticeUrl(db, id, `${URL}/other`);
  expect(await messageOf(id)).toBeUndefined();
  await lookAtAll(db);
  expect((await messageOf(id))!.message_id).not.toBe(first.message_id);
  await removeNoticeUrl(db, id);
  expect(await readNotice(db, id)).toBeUndefined();
});

it('forgets the URL with the deletion of its account', async () => {
  const id = await makeTold(db, URL);
  // The rest of a large account is deleted later.
  await deleteAccount(db, id, 0);
  expect(await readNotice(db, id)).toBeUndefined();
});
