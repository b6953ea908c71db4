/** All SQL of callbacks. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';
import { isLost, isStray, type LeasedTable } from '../../jobs/lease-store.ts';
import type { Capacity } from '../../webhooks/webhook-queue.ts';
import {
  afterTry,
  type ClaimedTry,
  claimedBy,
  DELIVERY_STATE,
  DIED,
  type EndedTry,
  GIVEN_UP,
  IS_SUSPECT,
  isTooLate,
  isTryOf,
  RELEASED,
  type RetrySchedule,
  type StateAfterTry,
  takenOver,
} from '../../webhooks/webhook-store.ts';

/** How long after each other those of one process are due, in seconds. */
const SPREAD_S = 0.2;
const MOST_TRIES_SHOWN = 100;

const CALLBACKS: LeasedTable = {
  table: 'callbacks',
  claimed: sql`process_id is not null`,
  claim: sql`concat_ws(' ', batch_id, attempt)`,
};

/** Inserts a callback that is due now. Call it in the transaction that completes the batch. */
export async function insertCallback(db: Db, batchId: string): Promise<void> {
  await db
    .insertInto('callbacks')
    .values({
      batch_id: batchId,
      message_id: `msg_${randomUUID()}`,
      due_at: sql<Date>`clock_timestamp()`,
      is_ready: true,
    })
    .execute();
}

/** A try that this process makes. */
export type ClaimedCallback = ClaimedTry & { readonly batch_id: string };

/** How many due callbacks become ready in a statement. */
const MOST_READY = 500;

/** Claims due callbacks. Accounts take turns, and so do their receivers. Two processes never claim the same callback. */
export async function claimCallbacks(
  db: Db,
  processId: string,
  { most, mostOfAccount, mostOfReceiver }: Capacity,
): Promise<ClaimedCallback[]> {
  await makeCallbacksReady(db);
  const { rows } = await sql<ClaimedCallback>`
    with sent_now as (
      select owner_id, count(*) as count from callbacks where process_id = ${processId} group by owner_id
    ), ready as materialized (
      select * from ready_callbacks(${processId}, ${most}, ${mostOfAccount}, ${mostOfReceiver})
    ), due as (
      select id, due_at, coalesce(sent_now.count, 0)
        + row_number() over (partition by owner_id order by place, due_at, id) as turn
      from ready join callbacks on batch_id = id left join sent_now using (owner_id)
    ), chosen as (
      select batch_id from callbacks join due on batch_id = id
      where turn <= ${mostOfAccount} and callbacks.due_at <= clock_timestamp()
      order by turn, due.due_at limit ${most} for update of callbacks skip locked
    )
    update callbacks set ${claimedBy(processId)}, is_ready = false
    from chosen join batches on batches.id = chosen.batch_id
    where callbacks.batch_id = chosen.batch_id
    returning callbacks.batch_id, callbacks.attempt, message_id, tried_at, url, account_id
  `.execute(db);
  return rows;
}

/** Puts callbacks into the queues of their accounts and receivers when they are due, those first that are due longest. */
async function makeCallbacksReady(db: Db): Promise<void> {
  await sql`
    with due as materialized (
      select batch_id from callbacks
      where due_at is not null and not is_ready and deaths = 0 and due_at <= statement_timestamp()
      order by due_at limit ${MOST_READY} for no key update skip locked
    )
    update callbacks set is_ready = true from due where callbacks.batch_id = due.batch_id
  `.execute(db);
}

/** Claims a callback over which a process died. It is to be sent alone. */
export async function claimSuspectCallback(db: Db, processId: string): Promise<ClaimedCallback | undefined> {
  const { rows } = await sql<ClaimedCallback>`
    with suspect as materialized (
      select batch_id from callbacks where ${IS_SUSPECT}
      order by due_at, batch_id limit 1 for update skip locked
    )
    update callbacks set ${claimedBy(processId)}
    from suspect join batches on batches.id = suspect.batch_id
    where callbacks.batch_id = suspect.batch_id
    returning callbacks.batch_id, attempt, message_id, tried_at, url, account_id
  `.execute(db);
  return rows[0];
}

/**
 * Records a try of this process, and sets the next one.
 *
 * @returns undefined if the batch was deleted, or if another process has taken the callback over
 */
export async function endTry(
  db: Db,
  processId: string,
  claimed: Pick<ClaimedCallback, 'batch_id' | 'attempt'>,
  ended: EndedTry,
  schedule: RetrySchedule,
): Promise<StateAfterTry | undefined> {
  const { status, error, durationMs } = ended;
  const { rows } = await sql<{ state: StateAfterTry }>`
    with ended as (
      update callbacks set ${afterTry(ended, sql`completed_at`, schedule)}
      from batches
      where batches.id = callbacks.batch_id and callbacks.batch_id = ${claimed.batch_id}
        and ${isTryOf(processId, claimed)}
      returning callbacks.*
    ), recorded as (
      insert into callback_tries (batch_id, number, at, status, error, duration_ms)
      select batch_id, attempt, tried_at, ${status}::integer, ${error}::text, ${durationMs}::integer from ended
    )
    select ${DELIVERY_STATE} as state from ended
  `.execute(db);
  return rows[0]?.state;
}

/**
 * Takes over the callbacks that dead processes were sending. They are due one after the other. A callback over which
 * too many processes died is given up.
 *
 * @returns the ids of the batches whose callbacks were given up
 */
export async function takeOverCallbacks(db: Db): Promise<string[]> {
  const { rows } = await sql<{ batch_id: string }>`
    with lost as materialized (
      select batch_id from callbacks where ${isLost(CALLBACKS)} for update skip locked
    ), placed as (select batch_id, row_number() over (order by batch_id) - 1 as place from lost), taken as (
      update callbacks set ${takenOver(sql`${SPREAD_S}::float8 * place`)}
      from placed where callbacks.batch_id = placed.batch_id
      returning callbacks.batch_id, attempt, tried_at, given_up_at
    ), recorded as (
      insert into callback_tries (batch_id, number, at, error)
      select batch_id, attempt, tried_at, ${DIED}::text from taken
    )
    select batch_id from taken where given_up_at is not null
  `.execute(db);
  return rows.map(({ batch_id }) => batch_id);
}

/** Makes all callbacks due that this process has claimed but is not sending. */
export async function releaseCallbacks(
  db: Db,
  processId: string,
  sending: readonly Pick<ClaimedCallback, 'batch_id' | 'attempt'>[],
): Promise<void> {
  const known = sending.map(({ batch_id, attempt }) => `${batch_id} ${attempt}`);
  await sql`update callbacks set ${RELEASED} where ${isStray(CALLBACKS, processId, known)}`.execute(db);
}

/** How many callbacks are given up in a statement. */
const MOST_GIVEN_UP = 1_000;

/** Gives up some retries whose time passed while no process could send them. @returns the ids of their batches */
export async function giveUpLate(db: Db, schedule: RetrySchedule): Promise<string[]> {
  const { rows } = await sql<{ batch_id: string }>`
    with late as (
      select batch_id from callbacks
      -- As in the index callbacks_retries.
      where ${isTooLate(sql`made_at`, schedule)} and due_at is not null
      order by made_at limit ${MOST_GIVEN_UP} for update skip locked
    )
    update callbacks set ${GIVEN_UP}
    from late where callbacks.batch_id = late.batch_id returning callbacks.batch_id
  `.execute(db);
  return rows.map(({ batch_id }) => batch_id);
}

/** Deletes the callbacks of batches that are deleted. One that is being sent is not sent again. */
export async function deleteCallbacks(db: Db, batchIds: readonly string[]): Promise<void> {
  await db.deleteFrom('callbacks').where('batch_id', 'in', batchIds).execute();
}

/** Deletes some tries that are older than 30 days. @returns whether there may be more */
export const forgetTries = (db: Db): Promise<boolean> =>
  deleteSome(db, 'callback_tries', sql`at < statement_timestamp() - interval '30 days'`);

/** `expired`: the batch's results were deleted. */
export type SentAgain = 'due' | 'being sent' | 'expired' | 'no callback';

/**
 * Makes the callback due now, with the same `webhook-id`, in any earlier state. After its time, it
 * gets one try.
 */
export async function sendAgain(db: Db, batchId: string): Promise<SentAgain> {
  const { rows } = await sql<{ is_due: boolean; is_expired: boolean }>`
    with due as (
      update callbacks set
        due_at = clock_timestamp(), delivered_at = null, given_up_at = null, is_retry = false, deaths = 0
      from batches
      where batches.id = callbacks.batch_id and callbacks.batch_id = ${batchId} and callbacks.process_id is null
        and expires_at > clock_timestamp()
      returning callbacks.batch_id
    )
    select exists (select from due) as is_due, expires_at <= clock_timestamp() as is_expired
    from callbacks join batches on batches.id = batch_id where batch_id = ${batchId}
  `.execute(db);
  const [found] = rows;
  if (!found) return 'no callback';
  if (found.is_due) return 'due';
  return found.is_expired ? 'expired' : 'being sent';
}

/** A callback, as the owner sees it, with its latest 100 tries, oldest first. */
export type Callback = NonNullable<Awaited<ReturnType<typeof readCallback>>>;
export type CallbackTry = Callback['tries'][number];

/** @returns undefined if the account has no such batch, or the batch has no callback, or is not completed */
export async function readCallback(db: Db, accountId: string, batchId: string) {
  const found = await db
    .selectFrom('callbacks')
    .innerJoin('batches', 'batches.id', 'callbacks.batch_id')
    .select([DELIVERY_STATE.as('state'), sql<string>`url`.as('url'), 'callbacks.due_at'])
    .where('batch_id', '=', batchId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (!found) return undefined;
  const tries = await db
    .selectFrom('callback_tries')
    .select(['number', 'at', 'status', 'error', 'duration_ms'])
    .where('batch_id', '=', batchId)
    .orderBy('number', 'desc')
    .limit(MOST_TRIES_SHOWN)
    .execute();
  return { ...found, tries: tries.reverse() };
}

/** `retry`: it is not due yet. */
export interface CallbackCount {
  readonly state: 'due' | 'retry' | 'being sent' | 'given up';
  readonly count: number;
  /** For the oldest one: when it became due, was last tried, or was given up. */
  readonly since: Date;
}

/**
 * The undelivered callbacks of all accounts. Those that were given up count while the batch has its results. Each part is
 * found by an index of its own.
 */
export async function countCallbacks(db: Db): Promise<CallbackCount[]> {
  const { rows } = await sql<CallbackCount>`
    select state, count(*) as count, min(since) as since from (
      select case when due_at <= clock_timestamp() then 'due' else 'retry' end as state,
        case when due_at <= clock_timestamp() then due_at else tried_at end as since
      from callbacks where due_at is not null
      union all select 'being sent', tried_at from callbacks where process_id is not null
      union all select 'given up', given_up_at from callbacks
      -- As in the index callbacks_troubled.
      where delivered_at is null and tried_at is not null and has_results and given_up_at is not null
    ) as callback
    group by state order by array_position(array['due', 'retry', 'being sent', 'given up'], state)
  `.execute(db);
  return rows;
}
