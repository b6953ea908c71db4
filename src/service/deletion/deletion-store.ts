/** The SQL that reads what is left of deleted accounts. */
import { sql } from 'kysely';
import type { Db } from '../database/schema.ts';

/** The tables that may have many rows of an account. */
const COUNTED = {
  batches: sql`batches where account_id = accounts.id`,
  keys: sql`keys where account_id = accounts.id`,
  visitors: sql`visitors where key_id in (select id from keys where account_id = accounts.id)`,
  tokens: sql`token_families where account_id = accounts.id
    or client_id = any(array(select client_id from apps where account_id = accounts.id))`,
  verifications: sql`verifications where account_id = accounts.id`,
  renewals: sql`renewable_results where account_id = accounts.id`,
  ledger: sql`ledger where account_id = accounts.id`,
  payments: sql`payments where account = accounts.id`,
  audit: sql`audit where account_id = accounts.id`,
  results_by_day: sql`daily_results where account_id = accounts.id`,
  responses: sql`idempotency where account_id = accounts.id`,
} as const;

/** How many rows there are. */
export type Left = Readonly<Record<keyof typeof COUNTED, number>>;

/** What the housekeeping has yet to delete of an account. */
export interface LeftOfAccount {
  /** When the account was deleted. */
  readonly since: Date;
  readonly left: Left;
}

/** @returns undefined if nothing is left */
export async function readLeft(db: Db, accountId: string): Promise<LeftOfAccount | undefined> {
  const counts = Object.entries(COUNTED).map(
    ([name, rows]) => sql`${sql.lit(name)}, (select count(*) from ${rows})`,
  );
  const { rows } = await sql<LeftOfAccount>`
    select deleted_at as since, json_build_object(${sql.join(counts)}) as left from accounts
    where id = ${accountId} and deleted_at is not null
  `.execute(db);
  return rows[0];
}
