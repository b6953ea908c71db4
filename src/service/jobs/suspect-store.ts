/** The SQL of turns with what processes died over. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database/schema.ts';

/**
 * How many seconds of the longest wait are a reason for one more process to take a turn. Those before may do no such work,
 * or wait for silent mail servers themselves.
 */
const PATIENCE_S = 5;
/** More than there are processes. */
const MOST_COUNTED = 100;

/**
 * Whether this process takes a turn. As many processes do as there are suspects, and one more for every five seconds that
 * the first suspect has waited. The others go on with their other work. Which ones come first is another order for each
 * suspect.
 *
 * @param isSuspect in the words of an index on `due_at`
 */
export async function mayTakeTurn(
  db: Db,
  processId: string,
  table: 'batch_rows' | 'callbacks' | 'notices',
  isSuspect: RawBuilder<boolean>,
): Promise<boolean> {
  const placeOf = (id: RawBuilder<unknown>) =>
    sql`hashtextextended(${id}::uuid::text, extract(epoch from since)::bigint)`;
  const { rows } = await sql<{ may: boolean }>`
    select case when count > 0 then (
      select count(*) from processes
      where ${placeOf(sql`id`)} < ${placeOf(sql`${processId}`)} and is_process_alive(id)
    ) < count + floor(extract(epoch from clock_timestamp() - since) / ${PATIENCE_S}) else false end as may
    from (
      select count(*) as count, min(due_at) as since from (
        select due_at from ${sql.table(table)} where ${isSuspect} order by due_at limit ${MOST_COUNTED}
      ) as suspects
    ) as waiting
  `.execute(db);
  return rows[0]!.may;
}
