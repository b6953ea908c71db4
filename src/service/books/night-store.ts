/** The SQL of the audit of the night. Its one row says how far it is, so that any process goes on with it. */
import { type Selectable, sql } from 'kysely';
import type { Db, Difference, Schema } from '../database/schema.ts';

/** How many differences to keep. More of them have the same cause. */
const MOST_KEPT = 100;

/** Two o'clock at night in UTC, next time. */
const NEXT_NIGHT = sql<Date>`
  (date_trunc('day', (clock_timestamp() at time zone 'UTC') - interval '2 hours') + interval '1 day 2 hours')
    at time zone 'UTC'`;

/** Makes the row, if there is none. */
export async function scheduleAudit(db: Db): Promise<void> {
  await sql`
    insert into book_audit (due_at) select ${NEXT_NIGHT} where not exists (select from book_audit)
    on conflict do nothing
  `.execute(db);
}

/** An audit that is under way, or due. */
export interface AuditTurn {
  /** The last account that it has looked at. Empty at its begin. */
  readonly after: string;
  /** Whether it takes over the counts of accounts from before the books were proved. */
  readonly takesOver: boolean;
}

/**
 * Locks the audit until the transaction ends. Call it first in a transaction.
 *
 * @returns undefined if no audit is due, or if another process works on it
 */
export async function takeTurn(db: Db): Promise<AuditTurn | undefined> {
  const { rows } = await sql<AuditTurn>`
    select coalesce(after_account, '') as after, proves_since is not null as "takesOver" from book_audit
    where due_at <= clock_timestamp() for update skip locked
  `.execute(db);
  return rows[0];
}

/** @param last the last account of the chunk. Undefined at the end */
export async function endTurn(
  db: Db,
  last: string | undefined,
  differences: readonly Difference[],
): Promise<BookAudit> {
  const found = sql`(
    select coalesce(json_agg(each), '[]') from (
      select each from json_array_elements(found) as each
      union all select each from json_array_elements(${JSON.stringify(differences)}::json) as each
      limit ${MOST_KEPT}
    ) as kept
  )`;
  const count = sql`found_count + ${differences.length}::integer`;
  const changes =
    last === undefined
      ? sql`due_at = ${NEXT_NIGHT}, begun_at = null, after_account = null, found = '[]', found_count = 0,
          ended_at = clock_timestamp(), differences = ${found}, difference_count = ${count},
          proves_since = null`
      : sql`begun_at = coalesce(begun_at, clock_timestamp()), after_account = ${last},
          found = ${found}, found_count = ${count}`;
  const { rows } = await sql<BookAudit>`update book_audit set ${changes} returning ${COLUMNS}`.execute(db);
  return rows[0]!;
}

/** The state of the audits. */
export type BookAudit = Pick<
  Selectable<Schema['book_audit']>,
  'due_at' | 'begun_at' | 'ended_at' | 'difference_count' | 'differences'
> & {
  /** For how many seconds an audit has been due that has not ended. */
  readonly late_seconds: number;
};

const COLUMNS = sql`due_at, begun_at, ended_at, difference_count, differences,
  greatest(0, extract(epoch from clock_timestamp() - due_at))::float8 as late_seconds`;

/** @returns undefined before the first night */
export async function readAudit(db: Db): Promise<BookAudit | undefined> {
  const { rows } = await sql<BookAudit>`select ${COLUMNS} from book_audit`.execute(db);
  return rows[0];
}
