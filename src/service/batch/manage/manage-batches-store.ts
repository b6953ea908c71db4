/**
 * The SQL of pausing, resuming, stopping and deleting batches. Each function needs a transaction in which the batch is
 * locked.
 */
import { sql } from 'kysely';
import { reasonsIn } from '../../../protocol/state-of-reason.ts';
import type { Db } from '../../database/schema.ts';
import { disownListsOf } from '../../lists/list-store.ts';
import { deleteCallbacks } from '../callbacks/callback-store.ts';
import { leaveQueue } from '../turns/turn-store.ts';

/** How many completed batches of a deleted account lose it in a transaction. Each has at most some 80 tries. */
const MOST_DISOWNED = 50;
/** How many open ones a statement deletes. They have no tries. */
const MOST_OPEN_DISOWNED = 500;
const UNKNOWN = reasonsIn('unknown');

/** The state that decides whether a batch can be changed. */
export type ManagedBatch = NonNullable<Awaited<ReturnType<typeof lockBatch>>>;

/** Locks a batch, of this account if given. Undefined if the batch does not exist. */
export async function lockBatch(db: Db, accountId: string | undefined, id: string) {
  return (
    db
      .selectFrom('batches')
      .select(['account_id', 'name', 'mode', 'is_free', 'distinct_total', 'paused_at', 'completed_at'])
      .where('id', '=', id)
      // A deleted one has no account.
      .where('account_id', 'is not', null)
      .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId!))
      .forUpdate()
      .executeTakeFirst()
  );
}

export async function setPaused(db: Db, id: string, isPaused: boolean): Promise<void> {
  const now = sql<Date>`clock_timestamp()`;
  await db
    .updateTable('batches')
    .set(isPaused ? { paused_at: now } : { paused_at: null, resumed_at: now })
    .where('id', '=', id)
    .execute();
}

export async function setName(db: Db, id: string, name: string): Promise<void> {
  await db.updateTable('batches').set({ name }).where('id', '=', id).execute();
}

/**
 * Locks the batch that was paused first, of those that were paused so many seconds ago or longer, and its account. It
 * skips those that are locked, so that they hold up no others.
 *
 * @returns undefined if there is none
 */
export async function holdPausedFor(db: Db, seconds: number): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select batches.id from batches join accounts on accounts.id = account_id
    where paused_at <= statement_timestamp() - make_interval(secs => ${seconds}) order by paused_at limit 1
    for no key update of accounts skip locked for update of batches skip locked
  `.execute(db);
  return rows[0]?.id;
}

/**
 * Ends all claims on the addresses of batches, and waits until the results that are being stored are there. Claims hold
 * the batch (`claimRows`), which is locked, so there are no new ones, and the batches leave the queue.
 */
export async function endClaims(db: Db, ids: readonly string[]): Promise<void> {
  await sql`
    with claimed as materialized (select batch_id, place from batch_rows where process_id is not null)
    update batch_rows set process_id = null from claimed
    where batch_rows.batch_id = claimed.batch_id and batch_rows.place = claimed.place
      and batch_rows.batch_id = any(${ids}::text[])
  `.execute(db);
  await leaveQueue(db, ids);
}

/** The addresses without a result, and those with an unknown one. */
export interface Unverified {
  readonly open: number;
  readonly unknown: number;
  /** Those of the unknown ones that the service itself could not verify. */
  readonly unexpected_error: number;
}

/** The time does not depend on the size of the batch. Call it after `endClaims()`, so that it misses no result. */
export async function countUnverified(db: Db, id: string, distinctTotal: number): Promise<Unverified> {
  const { rows } = await sql<Unverified>`
    select ${distinctTotal} - coalesce(sum(count), 0)::bigint as open,
      coalesce(sum(count) filter (where reason = any(${UNKNOWN}::text[])), 0)::bigint as unknown,
      coalesce(sum(count) filter (where reason = 'unexpected_error'), 0)::bigint as unexpected_error
    from batch_progress where batch_id = ${id}
  `.execute(db);
  return rows[0]!;
}

/** Locks an account, so that it gets no new batches, whose rows would refer to it. */
export async function lockAccount(db: Db, id: string): Promise<void> {
  await db.selectFrom('accounts').select('id').where('id', '=', id).forUpdate().execute();
}

/** Who has made a batch, which never changes. Undefined for a batch that the account does not have. */
export async function findMaker(db: Db, accountId: string, id: string) {
  return db
    .selectFrom('batches')
    .select('made_by')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

/**
 * Deletes batches: without an account, they exist for nobody. Their addresses and lists count as expired, so the
 * housekeeping deletes them in chunks, and the batches after them.
 */
export async function disown(db: Db, ids: readonly string[]): Promise<void> {
  await endClaims(db, ids);
  await disownListsOf(db, ids);
  await deleteCallbacks(db, ids);
  const now = sql<Date>`clock_timestamp()`;
  await db
    .updateTable('batches')
    .set({
      ...{ account_id: null, name: null, url: null, download_name: null, paused_at: null, stored_entries: 0 },
      ...{ completed_at: sql<Date>`coalesce(completed_at, ${now})`, expires_at: now, reason_counts: '{}' },
    })
    .where('id', 'in', ids)
    .execute();
}

/** Deletes the open batches of an account, which is locked, so that their verification stops. */
export async function disownOpen(db: Db, accountId: string): Promise<void> {
  const some = () => batchesOf(db, accountId).where('completed_at', 'is', null).limit(MOST_OPEN_DISOWNED);
  while (await disownEach(db, some()));
}

/** Deletes some batches of an account. @returns whether there may be more */
export async function disownSome(db: Db, accountId: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await lockAccount(transaction, accountId);
    return disownEach(transaction, batchesOf(transaction, accountId).limit(MOST_DISOWNED));
  });
}

const batchesOf = (db: Db, accountId: string) =>
  db.selectFrom('batches').select('id').where('account_id', '=', accountId).orderBy('id').forUpdate();

async function disownEach(db: Db, batches: ReturnType<typeof batchesOf>): Promise<boolean> {
  const ids = (await batches.execute()).map(({ id }) => id);
  if (ids.length > 0) await disown(db, ids);
  return ids.length > 0;
}
