/** The SQL of pausing, resuming and deleting batches. Each function needs a transaction in which the batch is locked. */
import { sql } from 'kysely';
import { REASONS } from '../../../protocol/result.ts';
import { STATE_OF_REASON } from '../../../protocol/state-of-reason.ts';
import type { Db } from '../../database/schema.ts';
import { deleteListRows } from '../../lists/list-store.ts';

/** How many places a statement deletes. The server ends a statement after 9 seconds, and this takes less than one. */
const CHUNK = 20_000;
const UNKNOWN = REASONS.filter((reason) => STATE_OF_REASON[reason] === 'unknown');

/** The state that decides whether a batch can be changed. */
export interface ManagedBatch {
  readonly account_id: string;
  readonly name: string | null;
  readonly mode: 'test' | 'live';
  readonly distinct_total: number;
  readonly paused_at: Date | null;
  readonly completed_at: Date | null;
}

/** Locks a batch, of this account if given. Undefined if the batch does not exist. */
export async function lockBatch(
  db: Db,
  accountId: string | undefined,
  id: string,
): Promise<ManagedBatch | undefined> {
  return managed(db, accountId, id).forUpdate().executeTakeFirst();
}

/** The current state of a batch, of this account if given. */
export async function findManaged(
  db: Db,
  accountId: string | undefined,
  id: string,
): Promise<ManagedBatch | undefined> {
  return managed(db, accountId, id).executeTakeFirst();
}

const managed = (db: Db, accountId: string | undefined, id: string) =>
  db
    .selectFrom('batches')
    .select(['account_id', 'name', 'mode', 'distinct_total', 'paused_at', 'completed_at'])
    .where('id', '=', id)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId!));

export async function setPaused(db: Db, id: string, isPaused: boolean): Promise<void> {
  const now = sql<Date>`clock_timestamp()`;
  await db
    .updateTable('batches')
    .set(isPaused ? { paused_at: now } : { paused_at: null, resumed_at: now })
    .where('id', '=', id)
    .execute();
}

/** The deleted addresses: those without a result, and those with an unknown one. */
export interface DeletedRows {
  readonly open: number;
  readonly unknown: number;
}

/** Deletes a batch, its addresses and their list. It counts the rows that it deletes, so it misses no result. */
export async function deleteWithRows(db: Db, id: string, distinctTotal: number): Promise<DeletedRows> {
  const deleted = { open: 0, unknown: 0 };
  for (let from = 0; from < distinctTotal; from += CHUNK) {
    const counted = await deletePlaces(db, id, from);
    deleted.open += counted.open;
    deleted.unknown += counted.unknown;
  }
  await deleteListRows(db, id, CHUNK);
  await db.deleteFrom('batches').where('id', '=', id).execute();
  return deleted;
}

/** Locks an account, so that it gets no new batches, whose rows would refer to it. */
export async function lockAccount(db: Db, id: string): Promise<void> {
  await db.selectFrom('accounts').select('id').where('id', '=', id).forUpdate().execute();
}

/**
 * Deletes all batches of an account, which is locked. One statement for all of them would reach the server's time limit
 * at some 30 large batches.
 */
export async function deleteBatchesOf(db: Db, accountId: string): Promise<void> {
  const batches = await db
    .selectFrom('batches')
    .select(['id', 'distinct_total'])
    .where('account_id', '=', accountId)
    .forUpdate()
    .execute();
  for (const { id, distinct_total } of batches) await deleteWithRows(db, id, distinct_total);
}

/** Waits for a row whose result is being written, and counts its new state. */
async function deletePlaces(db: Db, id: string, from: number): Promise<DeletedRows> {
  const { rows } = await sql<DeletedRows>`
    with gone as (
      delete from batch_rows where batch_id = ${id} and place >= ${from} and place < ${from + CHUNK}
      returning reason
    )
    select count(*) filter (where reason is null) as open,
      count(*) filter (where reason = any(${UNKNOWN}::text[])) as unknown
    from gone
  `.execute(db);
  return rows[0]!;
}
