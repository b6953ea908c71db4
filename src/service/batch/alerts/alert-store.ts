/** What an owner should see at a glance: running and paused batches, and callbacks that fail. */
import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';

/** A batch that is not completed. */
export interface OpenBatch {
  readonly id: string;
  readonly name: string | null;
  readonly mode: 'test' | 'live';
  /** The distinct addresses. */
  readonly total: number;
  /** How many of them have a result. */
  readonly processed: number;
  readonly created_at: Date;
  readonly paused_at: Date | null;
  /** The number of all open batches. */
  readonly open: number;
}

/** The newest open batches. */
export async function readOpenBatches(db: Db, accountId: string, limit: number): Promise<OpenBatch[]> {
  const { rows } = await sql<OpenBatch>`
    select id, name, mode, distinct_total as total, created_at, paused_at, (
      select count(*) from batches where account_id = ${accountId} and completed_at is null
    ) as open, (
      select coalesce(sum(count), 0)::bigint from batch_progress where batch_id = chosen.id
    ) as processed
    from (
      select * from batches where account_id = ${accountId} and completed_at is null
      order by created_at desc, id desc limit ${limit}
    ) as chosen
    order by created_at desc, id desc
  `.execute(db);
  return rows;
}

/** A batch that its owner or the operator has paused. */
export interface PausedBatch {
  readonly id: string;
  readonly name: string | null;
  readonly paused_at: Date;
  /** The number of all paused batches. */
  readonly paused: number;
}

/** Those first whose pause ends first. They are the oldest, so newer batches must not hide them. */
export async function readPausedBatches(db: Db, accountId: string, limit: number): Promise<PausedBatch[]> {
  const { rows } = await sql<PausedBatch>`
    select id, name, paused_at, count(*) over () as paused from batches
    where account_id = ${accountId} and paused_at is not null order by paused_at, id limit ${limit}
  `.execute(db);
  return rows;
}

export async function hasBatches(db: Db, accountId: string): Promise<boolean> {
  const any = await db
    .selectFrom('batches')
    .select('id')
    .where('account_id', '=', accountId)
    .limit(1)
    .execute();
  return any.length > 0;
}

/** A callback whose latest try has failed. */
export interface TroubledCallback {
  readonly batch_id: string;
  readonly name: string | null;
  /** Null if it was given up. */
  readonly due_at: Date | null;
  readonly tried_at: Date;
  /** The error of the latest try. */
  readonly error: string | null;
}

/** Failing callbacks of batches whose results are still kept, latest tries first. */
export async function readTroubledCallbacks(
  db: Db,
  accountId: string,
  limit: number,
): Promise<TroubledCallback[]> {
  const { rows } = await sql<TroubledCallback>`
    select callbacks.batch_id, name, callbacks.due_at, tried_at, error
    from callbacks join batches on batches.id = callbacks.batch_id
      left join callback_tries on callback_tries.batch_id = batches.id and number = attempt
    where callbacks.owner_id = ${accountId} and expires_at > clock_timestamp() and callbacks.process_id is null
      -- As in the index callbacks_troubled.
      and delivered_at is null and tried_at is not null and has_results
    order by tried_at desc, callbacks.batch_id limit ${limit}
  `.execute(db);
  return rows;
}
