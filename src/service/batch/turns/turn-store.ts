/**
 * The SQL of turns: which batch comes next. The account whose last turn is the longest ago comes first, and within it the
 * batch whose last turn is. So nobody waits for the batches of others, however many they are. Triggers queue batches
 * (`queue_batches()`), also those whose addresses are ready again.
 *
 * No statement here waits for a lock. A turn that is not recorded is repeated.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db, Mode } from '../../database/schema.ts';

/** The accounts that have addresses ready. Whoever had a turn the longest ago comes first. */
export async function waitingAccounts(db: Db, mode: Mode, most: number): Promise<string[]> {
  const rows = await db
    .selectFrom('account_turns')
    .select('account_id')
    .where('mode', '=', mode)
    .where('is_waiting', '=', sql<boolean>`true`)
    .orderBy('last')
    .limit(most)
    .execute();
  return rows.map(({ account_id }) => account_id);
}

/** How many addresses of an account to claim, and of how many of its batches at most. */
export type Share = { readonly accountId: string; readonly most: number; readonly batches: number };

/** How many addresses of a batch to claim. */
export type Wanted = { readonly id: string; readonly most: number };

/** The next batches of the accounts. Those of an account get equal parts of its share. */
export async function nextBatches(db: Db, mode: Mode, shares: readonly Share[]): Promise<Wanted[]> {
  const { rows } = await sql<Wanted>`
    select id, greatest(1, share.most / count(*) over (partition by share.account_id))::integer as most
    from unnest(
      ${shares.map(({ accountId }) => accountId)}::text[],
      ${shares.map(({ most }) => most)}::integer[],
      ${shares.map(({ batches }) => batches)}::integer[]
    ) as share (account_id, most, batches), lateral (
      select batch_id as id from batch_turns
      where batch_turns.account_id = share.account_id and mode = ${mode} order by last limit share.batches
    ) as next
  `.execute(db);
  return rows;
}

const MAY_BE_VERIFIED = (batchId: RawBuilder<string>) => sql<boolean>`exists (
  select from batch_rows
  where batch_id = (select id from batches where id = ${batchId} and paused_at is null and completed_at is null)
    and reason is null and process_id is null and due_at is null
)`;

/**
 * Ends the turns of these batches and accounts: they come last now. Those without a ready address leave the queue. They
 * stay if they were queued again since the statement began.
 */
export async function endTurns(
  db: Db,
  mode: Mode,
  accountIds: readonly string[],
  batchIds: readonly string[],
): Promise<void> {
  await sql`
    with seen as materialized (
      select batch_id, changes, ${MAY_BE_VERIFIED(sql.ref('batch_turns.batch_id'))} as is_ready
      from batch_turns where batch_id = any(${batchIds}::text[])
    ), own as materialized (
      select batch_turns.batch_id, is_ready from batch_turns join seen using (batch_id)
      where batch_turns.changes = seen.changes for update of batch_turns skip locked
    ), gone as (delete from batch_turns using own where batch_turns.batch_id = own.batch_id and not is_ready)
    update batch_turns set last = nextval('turns') from own
    where batch_turns.batch_id = own.batch_id and is_ready
  `.execute(db);
  await sql`
    with seen as materialized (
      select account_id, changes, exists (
        select from batch_turns where batch_turns.account_id = account_turns.account_id and mode = ${mode}
      ) as is_waiting
      from account_turns where mode = ${mode} and account_id = any(${accountIds}::text[])
    ), own as materialized (
      select account_id, seen.is_waiting from account_turns join seen using (account_id)
      where mode = ${mode} and account_turns.changes = seen.changes for no key update of account_turns skip locked
    )
    update account_turns set last = nextval('turns'), is_waiting = own.is_waiting from own
    where account_turns.account_id = own.account_id and mode = ${mode}
  `.execute(db);
}

/** Takes batches out of the queue that end before their addresses are verified. */
export async function leaveQueue(db: Db, batchIds: readonly string[]): Promise<void> {
  await db.deleteFrom('batch_turns').where('batch_id', 'in', batchIds).execute();
}

/** A batch whose addresses all have a result. */
export type DoneBatch = { readonly id: string; readonly account_id: string };

/**
 * The batches that can be completed. Looks only at those with results that no worker has looked at, also of processes that
 * died before they completed the batch.
 */
export async function doneBatches(db: Db, mode: Mode): Promise<DoneBatch[]> {
  const { rows } = await sql<DoneBatch>`
    with new as materialized (
      select batch_id, connection, reason, count, exists (
        select from batches where id = batch_id and completed_at is null and distinct_total = (
          select sum(every.count) from batch_progress as every where every.batch_id = batches.id
        )
      ) as is_done
      from batch_progress where is_new
    ), own as materialized (
      select batch_id, connection, reason from batch_progress join new using (batch_id, connection, reason)
      where not is_done and batch_progress.count = new.count for no key update of batch_progress skip locked
    ), seen as (
      update batch_progress set is_new = false from own
      where batch_progress.batch_id = own.batch_id and batch_progress.connection = own.connection
        and batch_progress.reason = own.reason
    )
    select id, account_id from batches
    where id in (select batch_id from new where is_done) and paused_at is null and mode = ${mode}
  `.execute(db);
  return rows;
}
