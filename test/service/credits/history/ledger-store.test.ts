import { sql } from 'kysely';
import { expect, it } from 'vitest';
import {
  type LedgerRow,
  readRows,
  type Selection,
} from '../../../../src/service/credits/history/ledger-store.ts';
import { makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';

const { db } = await testDatabase();

/** Rows of three months. Now and then the clock was a day behind, so days overlap. */
async function insertChanges(accountId: string): Promise<void> {
  await sql`
    insert into ledger (account_id, amount, why, "of", balance, at)
    select ${accountId}, 1, case when number % 41 = 0 then 'billing' when number % 7 = 0 then 'refund' else 'verification' end,
      ${accountId} || number, number,
      '2026-08-20T00:00:00Z'::timestamptz + number * interval '4 hours'
        - case when number % 5 = 0 then interval '1 day' else interval '0' end
    from generate_series(1, 400) as number
  `.execute(db);
}

const IN_SEPTEMBER = sql`to_char(at at time zone 'UTC', 'YYYY-MM') = '2026-09'`;

/** All pages, one after the other. */
async function readAll(accountId: string, selection: Selection, limit: number): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for (;;) {
    const page = await readRows(db, accountId, selection, { limit, before: rows.at(-1)?.id });
    rows.push(...page);
    if (page.length < limit) return rows;
  }
}

it.each([
  ['all', {}, sql`true`],
  ['a kind', { why: 'verification' }, sql`why = 'verification'`],
  ['a rare kind', { why: 'billing' }, sql`why = 'billing'`],
  ['no', { why: 'batch' }, sql`false`],
  ['a day’s', { day: '2026-09-05' }, sql`(at at time zone 'UTC')::date = '2026-09-05'`],
  ['a month’s', { month: '2026-09' }, IN_SEPTEMBER],
  ['a month’s of a kind', { month: '2026-09', why: 'refund' }, sql`${IN_SEPTEMBER} and why = 'refund'`],
] as const)(
  'shows %s changes once each, latest first, on pages of any size, even if a clock was set back',
  async (_, selection, condition) => {
    const accountId = await makeAccount(db);
    await insertChanges(await makeAccount(db));
    await insertChanges(accountId);
    const { rows } = await sql<{ id: number }>`
      select id from ledger where account_id = ${accountId} and ${condition} order by id desc
    `.execute(db);
    for (const limit of [1, 7, 51])
      expect((await readAll(accountId, selection, limit)).map(({ id }) => ({ id }))).toEqual(rows);
  },
);
