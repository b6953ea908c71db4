/** Accounts for tests, and a check of their credits. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db, LedgerReason } from '../../../src/service/database/schema.ts';
import { IN_CLEAR } from '../../../src/service/database/secrets.ts';
import type { PasswordCost } from '../../../src/service/people/accounts/password-hash.ts';
import { setMember } from '../../../src/service/people/members/member-store.ts';

/** The callback secret of every account in the tests. */
export const CALLBACK_SECRET = `whsec_${Buffer.from('a secret of the tests').toString('base64')}`;

/** The real cost of a password is a third of a second. */
export const CHEAP_PASSWORDS: PasswordCost = { N: 16, r: 1, p: 1 };

/** The owner of an account that `makeAccount()` has made. */
export const ownerOf = (accountId: string) => ({
  accountId,
  personId: accountId.replace(/^acc/, 'per'),
  email: `${accountId}@example.com`,
});

/** @returns the id of a new account without members, which every earlier schema can have, too */
export async function makeBareAccount(db: Db): Promise<string> {
  const id = `acc_${randomBytes(12).toString('hex')}`;
  const email = `${id}@example.com`;
  await db
    .insertInto('accounts')
    .values({
      id,
      owner_email: email,
      email_key: email,
      // In an earlier schema, it has no default.
      password_hash: '',
      callback_secret: IN_CLEAR.seal('accounts.callback_secret', id, CALLBACK_SECRET).clear,
    })
    .execute();
  return id;
}

/** @returns the id of a new account with these credits, and with an owner who has no password */
export async function makeAccount(db: Db, credits = 0): Promise<string> {
  const id = await makeBareAccount(db);
  const { personId, email } = ownerOf(id);
  const owner = { id: personId, email, email_key: email, password_hash: null };
  await db.insertInto('persons').values(owner).execute();
  await setMember(db, id, personId, 'owner');
  if (credits > 0) await topUp(db, id, credits);
  return id;
}

/** Adds credits like an operator. */
export async function topUp(db: Db, accountId: string, credits: number): Promise<void> {
  await sql`select change_credits(${accountId}, ${credits}, 'top-up', null)`.execute(db);
}

/**
 * @returns the credits of the account. Fails if they are not the sum of the ledger and of what was closed, or if a
 * balance or a day's sum is wrong.
 */
export async function creditsOf(db: Db, accountId: string): Promise<number> {
  const { rows } = await sql<{ credits: number; sum: number; wrong: number }>`
    select available_credits as credits, (closed + coalesce(sum(amount), 0))::bigint as sum,
      count(*) filter (where balance <> closed + running or balance < 0) as wrong
    from accounts cross join (
      select coalesce(sum(amount), 0) as closed from ledger_months where account_id = ${accountId}
    ) as months left join (
      select *, sum(amount) over (partition by account_id order by id) as running from ledger
    ) as entries on account_id = accounts.id
    where accounts.id = ${accountId} group by accounts.id, closed
  `.execute(db);
  const { credits, sum, wrong } = rows[0]!;
  expect({ credits, wrong }).toEqual({ credits: sum, wrong: 0 });
  expect(await daysOf(db, accountId)).toEqual([]);
  expect(credits).toBeGreaterThanOrEqual(0);
  return credits;
}

/** The sums by day that differ from those of the ledger. */
async function daysOf(db: Db, accountId: string) {
  const { rows } = await sql`
    with expected as (
      select (at at time zone 'UTC')::date as day, why, sum(amount)::bigint as amount, count(*) as count,
        min(id) as first_id, max(id) as last_id
      from ledger where account_id = ${accountId} group by 1, 2
    ), found as (
      select days.day, days.why, days.amount, days.count,
        -- The first rows may have been closed.
        case when days.first_id <= expected.first_id then expected.first_id else days.first_id end as first_id,
        days.last_id
      from ledger_days as days left join expected using (day, why) where account_id = ${accountId}
    )
    (table expected except table found) union all (table found except table expected)
  `.execute(db);
  return rows;
}

/** How many rows of each kind the ledger of the account has. */
export async function ledgerOf(db: Db, accountId: string): Promise<Partial<Record<LedgerReason, number>>> {
  const rows = await db
    .selectFrom('ledger')
    .select(['why', sql<number>`count(*)`.as('rows')])
    .where('account_id', '=', accountId)
    .groupBy('why')
    .execute();
  return Object.fromEntries(rows.map(({ why, rows }) => [why, rows]));
}
