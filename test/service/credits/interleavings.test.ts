import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { balanceOf, changeCredits } from '../../../src/service/credits/credit-store.ts';
import { isUnavailable } from '../../../src/service/database/unavailable.ts';
import { createAccount } from '../../../src/service/people/members/create-account.ts';
import { rounds } from '../../long.mjs';
import { testDatabase } from '../support/database.ts';

const test = await testDatabase();
const clients = [1, 2, 3, 4].map(() => test.connect(2));

/** What one client does. `of` is one of a few ids, so that clients charge the same thing. */
type Step =
  | { do: 'debit' | 'refund'; amount: number; of: number }
  | { do: 'top up' | 'take'; amount: number }
  | { do: 'debit in a transaction that ends with its connection'; amount: number; of: number }
  | { do: 'end the other connections' }
  | { do: 'compare the balance with the ledger' };

const amount = fc.integer({ min: 1, max: 12 });
const of = fc.integer({ min: 0, max: 6 });
/** One of these actions. */
const oneOf = <const Do extends Step['do']>(...actions: Do[]) => fc.constantFrom(...actions);
const lost = oneOf('debit in a transaction that ends with its connection');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: oneOf('debit', 'refund'), amount, of }) },
  { weight: 3, arbitrary: fc.record({ do: oneOf('top up', 'take'), amount }) },
  { weight: 1, arbitrary: fc.record({ do: lost, amount, of }) },
  { weight: 1, arbitrary: fc.record({ do: oneOf('end the other connections') }) },
  { weight: 1, arbitrary: fc.record({ do: oneOf('compare the balance with the ledger') }) },
);

it('keeps the ledger right under any interleaving, with connections that break', async () => {
  let runs = 0;
  let broken = 0;
  const property = fc.asyncProperty(
    fc.array(fc.array(step, { minLength: 5, maxLength: 25 }), { minLength: 4, maxLength: 4 }),
    fc.nat({ max: 40 }),
    async (scripts, credits) => {
      runs += 1;
      const email = `run${runs}@example.com`;
      const account = await createAccount(test.db, { email, passwordHash: 'x', credits });
      if (typeof account === 'string') throw new Error('Expected a new account.');
      const acknowledged: Acknowledged[] = [];
      const played = scripts.map(async (script, index) => {
        for (const next of script) broken += await play(index, `${runs}`, account.id, next, acknowledged);
      });
      // All end before the database is dropped. Without it, one would try to charge for ever.
      for (const end of await Promise.allSettled(played)) if (end.status === 'rejected') throw end.reason;
      await checkLedger(account.id, acknowledged);
    },
  );
  // Shrinking needs a failure that repeats, and these depend on timing.
  await fc.assert(property, { numRuns: rounds(15, 80), endOnFailure: true });
  // The test proves nothing if no connection broke.
  expect(broken).toBeGreaterThan(10);
});

/** A change that a client knows to be booked. */
interface Acknowledged {
  amount: number;
  why: string;
  of: string | null;
  balance: number;
}

/** @returns how often a connection broke meanwhile */
async function play(
  client: number,
  run: string,
  accountId: string,
  next: Step,
  acknowledged: Acknowledged[],
): Promise<number> {
  const db = clients[client]!;
  switch (next.do) {
    case 'debit':
    case 'refund': {
      const why = next.do === 'debit' ? 'verification' : 'refund';
      const amount = next.do === 'debit' ? -next.amount : next.amount;
      const change = { amount, why, of: `${run}-${next.of}` } as const;
      // A client cannot know whether a change was booked before its connection broke, so it sends it again.
      for (let broken = 0; ; broken += 1) {
        const result = await changeCredits(db, accountId, change).catch(outage);
        if (result === 'away') continue;
        if (result?.booked) acknowledged.push({ ...change, balance: result.balance });
        return broken;
      }
    }
    case 'top up':
    case 'take': {
      const change = { amount: next.do === 'take' ? -next.amount : next.amount, why: 'top-up' } as const;
      const result = await changeCredits(db, accountId, change).catch(outage);
      if (result === 'away') return 1;
      if (result) acknowledged.push({ ...change, of: null, balance: result.balance });
      return 0;
    }
    case 'debit in a transaction that ends with its connection': {
      const of = `${run}-lost-${client}-${next.of}`;
      const change = { amount: -next.amount, why: 'verification', of } as const;
      const attempt = db.transaction().execute(async (transaction) => {
        await changeCredits(transaction, accountId, change);
        await sql`select pg_terminate_backend(pg_backend_pid())`.execute(transaction);
      });
      expect(await attempt.catch(outage)).toBe('away');
      return 1;
    }
    case 'end the other connections': {
      const ended = sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'
      `.execute(db);
      return (await ended.catch(outage)) === 'away' ? 1 : 0;
    }
    case 'compare the balance with the ledger': {
      const { rows } = await sql`
        select available_credits = (select sum(amount) from ledger where account_id = accounts.id) as same
        from accounts where id = ${accountId} and exists (select from ledger where account_id = accounts.id)
      `
        .execute(db)
        .catch(() => ({ rows: [] }));
      expect(rows).not.toContainEqual({ same: false });
      return 0;
    }
  }
}

function outage(error: unknown): 'away' {
  if (!isUnavailable(error)) throw error;
  return 'away';
}

async function checkLedger(accountId: string, acknowledged: readonly Acknowledged[]): Promise<void> {
  const rows = await test.db
    .selectFrom('ledger')
    .select(['amount', 'why', 'of', 'balance'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
  let sum = 0;
  const charged = new Set<string>();
  for (const row of rows) {
    sum += row.amount;
    expect(row.balance).toBe(sum);
    expect(sum).toBeGreaterThanOrEqual(0);
    expect(row.of ?? '').not.toContain('lost');
    const charge = `${row.why} ${row.of}`;
    if (row.of !== null) expect(charged).not.toContain(charge);
    charged.add(charge);
  }
  expect(await balanceOf(test.db, accountId)).toBe(sum);
  // Each acknowledged change is a row of its own.
  const left = rows.map((row) => JSON.stringify([row.amount, row.why, row.of, row.balance]));
  for (const { amount, why, of, balance } of acknowledged) {
    const at = left.indexOf(JSON.stringify([amount, why, of, balance]));
    expect(at).toBeGreaterThanOrEqual(0);
    left.splice(at, 1);
  }
}
