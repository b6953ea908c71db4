/** The SQL of the pace of batches. */
import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';

/** The age limit of marks, and the least time between two. */
const WINDOW = sql`interval '5 minutes'`;
const APART = sql`interval '15 seconds'`;

/** Records the progress of each open batch, and deletes old marks. Each process does it every few seconds. */
export async function noteMarks(db: Db): Promise<void> {
  await sql`
    insert into batch_marks (batch_id, at, processed)
    select batch_id, clock_timestamp(), sum(count + duplicates) from batch_progress
    where exists (select from batches where id = batch_id and completed_at is null) and not exists (
      select from batch_marks as latest
      where latest.batch_id = batch_progress.batch_id and at > clock_timestamp() - ${APART}
    )
    group by batch_id on conflict do nothing
  `.execute(db);
  await sql`
    delete from batch_marks where at < clock_timestamp() - ${WINDOW} or not exists (
      select from batches where id = batch_id and completed_at is null
    )
  `.execute(db);
}

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
