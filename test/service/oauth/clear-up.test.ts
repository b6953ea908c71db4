/** What the housekeeping deletes, and what it leaves. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { tasksOf } from '../../../src/service/app/housekeeping.ts';
import { clearUp } from '../support/clear-up.ts';
import { testDatabase } from '../support/database.ts';
import { DEPS } from '../support/deps.ts';
import { openWorld, passTime, refusalOf } from './world.ts';

const { db } = await testDatabase();

const clear = () => clearUp(tasksOf({ ...DEPS, db }));
const countOf = async (table: string) =>
  (await sql<{ count: number }>`select count(*) from ${sql.table(table)}`.execute(db)).rows[0]!.count;
const counts = async () =>
  Promise.all(['authorization_codes', 'device_requests', 'token_families'].map(countOf));

it('deletes expired codes at once, devices an hour later, and tokens after a year without use', async () => {
  const { makeApp, codeOf, deviceOf, tokensOf, poll, refresh } = await openWorld(db);
  const app = await makeApp();
  await codeOf(app);
  const tokens = await tokensOf(app);
  const device = await deviceOf(app);
  await clear();
  expect(await counts()).toEqual([1, 1, 1]);
  await passTime(db, 900);
  await clear();
  // The device may still ask, and is told that its time is over.
  expect(await counts()).toEqual([0, 1, 1]);
  expect(refusalOf(await poll(app, device.device_code))).toEqual([400, 'expired_token']);
  await passTime(db, 3600);
  await clear();
  expect(await counts()).toEqual([0, 0, 1]);
  await passTime(db, 7200 + 364 * 86_400);
  await clear();
  expect((await refresh(app, tokens.refresh_token)).statusCode).toBe(200);
  await passTime(db, 7200 + 367 * 86_400);
  await clear();
  expect(await counts()).toEqual([0, 0, 0]);
});
