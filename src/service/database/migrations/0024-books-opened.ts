/** What reads tables that the migration before has locked: a check, and whether there are counts from before the books. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `alter table daily_results validate constraint daily_results_refunded_check`,
  `insert into book_audit (due_at, proves_since)
     select (date_trunc('day', now() at time zone 'UTC') + interval '1 day 2 hours') at time zone 'UTC', now()
     where exists (select from accounts)`,
];

/** Makes the row of the audit, if there are accounts. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
