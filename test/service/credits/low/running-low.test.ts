import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { readRunningLow } from '../../../../src/service/credits/low/running-low.ts';
import { makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { explainAll } from '../../support/explained-database.ts';
import { BY_PACE, change, makeUser } from '../../support/low.ts';

const { db, url } = await testDatabase();

it('counts what the last seven days have spent, less what they gave back', async () => {
  const id = await makeUser(db, 29);
  expect(await readRunningLow(db, id, BY_PACE)).toEqual({ available: 29, needed: 30, daysLeft: 2.9 });
  await change(db, id, 7, 'batch-refund');
  expect(await readRunningLow(db, id, BY_PACE)).toBeUndefined();
});

it('does not count what is older', async () => {
  const id = await makeUser(db, 29);
  const move = (days: number) =>
    sql`
      update ledger_days set day = (now() at time zone 'UTC')::date - ${days}::integer where account_id = ${id}
    `.execute(db);
  await move(6);
  expect(await readRunningLow(db, id, BY_PACE)).toMatchObject({ needed: 30 });
  await move(7);
  expect(await readRunningLow(db, id, BY_PACE)).toBeUndefined();
});

it('tells an account with credits that are below the least number, and none that never had any', async () => {
  const rules = { ...BY_PACE, lowCredits: 100 };
  const [filled, other] = [await makeAccount(db, 99), await makeAccount(db)];
  expect(await readRunningLow(db, filled, rules)).toMatchObject({ available: 99, needed: 100 });
  expect(await readRunningLow(db, other, rules)).toBeUndefined();
  await sql`
    with closed as (delete from ledger_days where account_id = ${filled})
    insert into ledger_months values (${filled}, '2025-01-01', 'top-up', 99, 1)
  `.execute(db);
  expect(await readRunningLow(db, filled, rules)).toMatchObject({ available: 99, needed: 100 });
  expect(await readRunningLow(db, 'acc_of_nobody', rules)).toBeUndefined();
});

describe('after years', () => {
  const explained = explainAll(url);
  afterAll(() => explained.close());

  it('reads at most 50 buffers', async () => {
    const id = await makeUser(db, 20);
    await sql`
      insert into ledger_days (account_id, day, why, amount, count, first_id, last_id)
      select account, (now() at time zone 'UTC')::date - day, why, -1, 1, day, day
      from generate_series(1, 400) as day,
        unnest(array['verification', 'refund', 'batch', 'batch-refund', 'top-up']) as why,
        (select ${id}::text as account union all select 'acc_' || number from generate_series(1, 50) as number) as accounts
    `.execute(db);
    await sql`analyze ledger_days`.execute(db);
    await readRunningLow(explained.db, id, BY_PACE);
    expect(Math.max(...explained.take())).toBeLessThanOrEqual(50);
  });
});
