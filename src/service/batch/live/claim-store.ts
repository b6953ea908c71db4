/**
 * The SQL of live batches: the claims on addresses. Only the process that claimed an address stores its result.
 *
 * No statement here waits for an address that another connection has locked. So a deletion can lock all addresses of a
 * batch in any order without deadlocks. A skipped address stays claimed, and is released later.
 */
import { sql } from 'kysely';
import { changeCredits } from '../../credits/credit-store.ts';
import type { Db } from '../../database/schema.ts';
import type { Settings } from '../../deps/deps.ts';
import { completeBatch, lockOwner, type StoredResults } from '../batch-store.ts';
import { type Tally, totalCounts } from '../result-counts.ts';
import type { BatchResult } from '../result-fields.ts';

/** A batch with work to do. */
export interface OpenBatch {
  readonly id: string;
  readonly retries: boolean;
  /** Whether every address has its result. */
  readonly is_done: boolean;
  /** Whether it was created or resumed more than a day ago. */
  readonly is_old: boolean;
}

/**
 * The batches that have an address ready, or that can be completed. The first batches of all accounts come before the
 * second ones.
 */
export async function openBatches(db: Db, most: number): Promise<OpenBatch[]> {
  const { rows } = await sql<OpenBatch>`
    select id, retries, is_done, coalesce(resumed_at, created_at) < clock_timestamp() - interval '1 day' as is_old from (
      select *, row_number() over (partition by account_id order by created_at, id) as rank
      from batches where mode = 'live' and completed_at is null and paused_at is null
    ) as batch, lateral (
      select exists (
        select from batch_rows
        where batch_id = batch.id and reason is null and process_id is null and due_at is null
      ) as is_ready
    ) as readiness, lateral (
      -- Only a batch without such an address is looked through.
      select case when is_ready then false
        else not exists (select from batch_rows where batch_id = batch.id and reason is null)
      end as is_done
    ) as completeness
    where is_ready or is_done
    order by rank, created_at limit ${most}
  `.execute(db);
  return rows;
}

/** An address that this process verifies. */
export interface ClaimedRow {
  readonly batch_id: string;
  readonly place: number;
  readonly address: string;
  /** Grows with each claim. */
  readonly attempt: number;
  /** How often it was postponed because its result may have been temporary. */
  readonly tries: number;
}

/** How many addresses of a batch to claim. */
export interface Wanted {
  readonly id: string;
  readonly most: number;
}

/** Claims ready addresses. Two processes never claim the same one. */
export async function claimRows(db: Db, processId: string, wanted: readonly Wanted[]): Promise<ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    update batch_rows set process_id = ${processId}, attempt = attempt + 1
    from unnest(${wanted.map(({ id }) => id)}::text[], ${wanted.map(({ most }) => most)}::integer[])
        as wanted (id, most),
      lateral (
        select batch_id, place from batch_rows
        where batch_id = (
            -- It may have been paused since the caller looked.
            select id from batches where id = wanted.id and paused_at is null
          ) and reason is null and process_id is null and due_at is null
        order by turn, place limit wanted.most for update skip locked
      ) as ready
    where batch_rows.batch_id = ready.batch_id and batch_rows.place = ready.place
    returning batch_rows.batch_id, batch_rows.place, address, attempt, tries
  `.execute(db);
  return rows;
}

/** How a claim ends. With neither field, the address is ready again. */
export interface Finish {
  readonly row: Pick<ClaimedRow, 'batch_id' | 'place' | 'attempt'>;
  readonly result?: BatchResult;
  /** The seconds until it is tried again. */
  readonly againInS?: number;
}

/**
 * Ends claims of this process. Claims that it has lost stay as they are.
 *
 * @returns the results that were stored
 */
export async function finishRows(
  db: Db,
  processId: string,
  finishes: readonly Finish[],
): Promise<StoredResults[]> {
  const { rows } = await sql<StoredResults>`
    with finished as (
      update batch_rows set
        process_id = null,
        reason = new.reason,
        result = new.result::json,
        due_at = clock_timestamp() + make_interval(secs => new.again_in),
        tries = tries + case when new.again_in is null then 0 else 1 end
      from unnest(
        ${finishes.map(({ row }) => row.batch_id)}::text[],
        ${finishes.map(({ row }) => row.place)}::integer[],
        ${finishes.map(({ row }) => row.attempt)}::integer[],
        ${finishes.map(({ result }) => result?.reason ?? null)}::text[],
        ${finishes.map(({ result }) => (result ? JSON.stringify(result) : null))}::text[],
        ${finishes.map(({ againInS }) => againInS ?? null)}::float8[]
      ) as new (batch_id, place, attempt, reason, result, again_in), lateral (
        select batch_id, place from batch_rows
        where batch_id = new.batch_id and place = new.place
          and attempt = new.attempt and process_id = ${processId}
        for no key update skip locked
      ) as own
      where batch_rows.batch_id = own.batch_id and batch_rows.place = own.place
      returning batch_rows.batch_id, batch_rows.reason
    )
    select account_id, reason, count(*) as count from finished join batches on batches.id = batch_id
    where reason is not null group by 1, 2
  `.execute(db);
  return rows;
}

/** Makes addresses ready whose retry is due, and those that dead processes have claimed. */
export async function makeReady(db: Db): Promise<void> {
  await sql`
    with waited as materialized (
      select batch_id, place from batch_rows where due_at <= clock_timestamp()
      for no key update skip locked
    ), dead as materialized (
      select process_id from (
        select distinct process_id from batch_rows where process_id is not null
      ) as owners where not is_process_alive(process_id)
    ), lost as materialized (
      select batch_id, place from batch_rows where process_id in (select process_id from dead)
      for no key update skip locked
    )
    update batch_rows set due_at = null, process_id = null
    from (select * from waited union all select * from lost) as ready
    where batch_rows.batch_id = ready.batch_id and batch_rows.place = ready.place
  `.execute(db);
}

/** Makes all addresses ready that this process has claimed but does not know of. */
export async function releaseRows(
  db: Db,
  processId: string,
  known: readonly Pick<ClaimedRow, 'batch_id' | 'place'>[],
): Promise<void> {
  await sql`
    with unknown as materialized (
      select batch_id, place from batch_rows
      where process_id = ${processId} and not exists (
        select from unnest(
          ${known.map(({ batch_id }) => batch_id)}::text[], ${known.map(({ place }) => place)}::integer[]
        ) as known (batch_id, place)
        where known.batch_id = batch_rows.batch_id and known.place = batch_rows.place
      )
      for no key update skip locked
    )
    update batch_rows set process_id = null
    from unknown where batch_rows.batch_id = unknown.batch_id and batch_rows.place = unknown.place
  `.execute(db);
}

/** Those of the batches that are paused, deleted or completed. */
export async function closedBatches(db: Db, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${ids}::text[]) as wanted (id) where not exists (
      select from batches where id = wanted.id and paused_at is null and completed_at is null
    )
  `.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Completes a batch if all its addresses have a result, and gives back the credits of the unknown ones with it.
 *
 * @returns undefined if this call has not completed it
 */
export async function completeLiveBatch(
  db: Db,
  id: string,
  { durations, refundUnknown }: Pick<Settings, 'durations' | 'refundUnknown'>,
): Promise<{ readonly refunded: number } | undefined> {
  return db.transaction().execute(async (transaction) => {
    const owner = await lockOwner(transaction, id);
    if (owner === undefined || !(await completeBatch(transaction, id, durations))) return undefined;
    const { reason_counts } = await transaction
      .selectFrom('batches')
      .select('reason_counts')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const { unknown } = totalCounts(reason_counts as Tally, 0, 0);
    const refunded = refundUnknown ? unknown : 0;
    if (refunded > 0) {
      await changeCredits(transaction, owner, { amount: refunded, why: 'batch-refund', of: id });
    }
    return { refunded };
  });
}
