/** The SQL of downloads. */
import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';
import type { BatchResult } from '../result-fields.ts';

/** A batch whose results can be downloaded. If it was stopped, some of its addresses have no result. */
export type Download = NonNullable<Awaited<ReturnType<typeof findDownload>>>;

/** @returns undefined if no batch has this name, if it is not completed, or if its results are no longer kept */
export async function findDownload(db: Db, name: string) {
  return db
    .selectFrom('batches')
    .select(['id', 'account_id', 'distinct_total', 'response_fields', 'completed_at'])
    .where('download_name', '=', name)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .where('completed_at', 'is not', null)
    .$narrowType<{ completed_at: Date }>()
    .executeTakeFirst();
}

/** An address by its place in the batch, with its result. */
export interface PageRow {
  readonly place: number;
  /** Null if the batch was stopped before it. */
  readonly result: BatchResult | null;
}

/** How much one query returns. */
export interface PageSize {
  readonly rows: number;
  /** The most JSON. A single result may have more, because an address can be as long as a request. */
  readonly bytes: number;
}

/**
 * The addresses from a place on, in the order sent, with their results. They do not change once the batch is completed, so pages need no
 * transaction.
 */
export async function readPage(db: Db, id: string, from: number, size: PageSize): Promise<PageRow[]> {
  // The places of a batch have no gaps. With an end instead of a limit, the planner cannot choose to sort the whole rest of
  // the batch for each page, as it does before PostgreSQL has statistics of a new batch.
  const { rows } = await sql<PageRow>`
    select place, result from (
      select *, sum(length) over (order by place) - length as before from (
        select place, result, coalesce(octet_length(result::text), 0) as length from batch_rows
        where batch_id = ${id} and place >= ${from} and place < ${from + size.rows}
      ) as next
    ) as measured
    where before < ${size.bytes}
    order by place
  `.execute(db);
  return rows;
}
