/** The SQL of the pace of batches. */
import { type RawBuilder, sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';

/** The age limit of marks, and the least time between two. */
const WINDOW = sql`interval '5 minutes'`;
const APART = sql`interval '15 seconds'`;

/** How many batches a statement notes. With more, they take turns. */
const MOST_NOTED = 500;

/** The first open batches that meet a condition, with their progress. */
const openBatches = (condition: RawBuilder<boolean>) => sql`(
  select batch_id, sum(count + duplicates) as processed from batch_progress where ${condition} group by batch_id
  having exists (select from batches where id = batch_id and completed_at is null)
  order by batch_id limit ${MOST_NOTED}
)`;

/**
 * Records the progress of open batches. Each process does it every few seconds. It goes on after
 * the batch of the latest mark, whoever made that, so that each batch has its turn.
 */
export async function noteMarks(db: Db): Promise<void> {
  const after = sql`(select coalesce((select batch_id from batch_marks order by at desc limit 1), ''))`;
  await sql`
    insert into batch_marks (batch_id, at, processed)
    select batch_id, clock_timestamp(), processed from (
      select * from ${openBatches(sql`batch_id > ${after}`)} as following
      union all select * from ${openBatches(sql`batch_id <= ${after}`)} as first_ones
      limit ${MOST_NOTED}
    ) as next
    where not exists (
      select from batch_marks as latest
      where latest.batch_id = next.batch_id and at > statement_timestamp() - ${APART}
    )
    on conflict do nothing
  `.execute(db);
}

/** Deletes some old marks. @returns whether there may be more */
export const forgetMarks = (db: Db): Promise<boolean> =>
  deleteSome(db, 'batch_marks', sql`at < statement_timestamp() - ${WINDOW}`);

/** The recent progress of a batch. */
export interface RecentProgress {
  /** How many entries have got a result since then. */
  readonly entries: number;
  readonly seconds: number;
}

/** @returns undefined without a mark since the batch was created or resumed */
export async function readRecentProgress(db: Db, id: string): Promise<RecentProgress | undefined> {
  const { rows } = await sql<RecentProgress>`
    select (
        select coalesce(sum(count + duplicates), 0)::bigint from batch_progress where batch_id = ${id}
      ) - processed as entries,
      extract(epoch from clock_timestamp() - at)::float8 as seconds
    from batch_marks
    where batch_id = ${id} and at > clock_timestamp() - ${WINDOW}
      and at > (select coalesce(resumed_at, created_at) from batches where id = ${id})
    order by at limit 1
  `.execute(db);
  return rows[0];
}
