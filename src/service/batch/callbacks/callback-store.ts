/**
 * All SQL of callbacks. A callback waits until it is due, is being sent by one process, was delivered, or was given up.
 * Only the process that has claimed a try records its outcome.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Durations } from '../../config/sections/durations-section.ts';
import type { Db } from '../../database/schema.ts';

/** How late the last try may start, in seconds. */
const LATENESS_S = 5;
const DIED = 'The service ended before the receiver answered.';
const MOST_TRIES_SHOWN = 100;

/** When a callback is tried again, in seconds (interface, section 6.1). */
export type CallbackSchedule = Pick<Durations, 'callbackRetry' | 'callbackGiveUp'>;

/** Inserts a callback that is due now. Call it in the transaction that completes the batch. */
export async function insertCallback(db: Db, batchId: string): Promise<void> {
  await db
    .insertInto('callbacks')
    .values({ batch_id: batchId, message_id: `msg_${randomUUID()}`, due_at: sql<Date>`clock_timestamp()` })
    .execute();
}

/** A try that this process makes. */
export interface ClaimedCallback {
  readonly batch_id: string;
  readonly attempt: number;
  readonly message_id: string;
  /** When the try began. */
  readonly tried_at: Date;
  readonly url: string;
  readonly account_id: string;
}

/** How many callbacks a process may send at once. */
export interface Capacity {
  /** How many more in total. */
  readonly most: number;
  /** How many for one account, including those being sent now. */
  readonly mostOfAccount: number;
  /** How many for one URL of an account, including those being sent now. */
  readonly mostOfReceiver: number;
}

/** Claims due callbacks. Accounts take turns, and so do their receivers. Two processes never claim the same callback. */
export async function claimCallbacks(
  db: Db,
  processId: string,
  { most, mostOfAccount, mostOfReceiver }: Capacity,
): Promise<ClaimedCallback[]> {
  const { rows } = await sql<ClaimedCallback>`
    with sent_now as (
      select account_id, url, count(*) as count from callbacks join batches on batches.id = batch_id
      where callbacks.process_id = ${processId} group by account_id, url
    ), of_receivers as (
      select callbacks.batch_id, callbacks.due_at, account_id, coalesce(sent_now.count, 0)
        + row_number() over (partition by account_id, url order by callbacks.due_at, batch_id) as place
      from callbacks join batches on batches.id = batch_id left join sent_now using (account_id, url)
      where callbacks.due_at <= clock_timestamp()
    ), due as (
      select batch_id, due_at,
        coalesce((select sum(count) from sent_now where sent_now.account_id = of_receivers.account_id), 0)
          + row_number() over (partition by account_id order by place, due_at, batch_id) as turn
      from of_receivers where place <= ${mostOfReceiver}
    ), chosen as (
      select callbacks.batch_id from callbacks join due using (batch_id)
      where turn <= ${mostOfAccount} and callbacks.due_at <= clock_timestamp()
      order by turn, due.due_at limit ${most} for update of callbacks skip locked
    )
    update callbacks set
      process_id = ${processId}, attempt = callbacks.attempt + 1, tried_at = clock_timestamp(), due_at = null
    from chosen join batches on batches.id = chosen.batch_id
    where callbacks.batch_id = chosen.batch_id
    returning callbacks.batch_id, callbacks.attempt, message_id, tried_at, url, account_id
  `.execute(db);
  return rows;
}

/** The outcome of a try. */
export interface EndedTry {
  readonly status: number | null;
  /** Null for a 200. */
  readonly error: string | null;
  /** Whether the service itself cut it off. The next try is then due at once. */
  readonly isCutOff: boolean;
  readonly durationMs: number;
}

export type CallbackState = 'waiting' | 'being sent' | 'delivered' | 'given up';
/** The state of a callback after a try. */
export type StateAfterTry = Exclude<CallbackState, 'being sent'>;

/**
 * Records a try of this process, and sets the next one.
 *
 * @returns undefined if the batch was deleted, or if another process has taken the callback over
 */
export async function endTry(
  db: Db,
  processId: string,
  { batch_id, attempt }: Pick<ClaimedCallback, 'batch_id' | 'attempt'>,
  { status, error, isCutOff, durationMs }: EndedTry,
  schedule: CallbackSchedule,
): Promise<StateAfterTry | undefined> {
  const next = sql`tried_at + make_interval(secs => ${schedule.callbackRetry}::integer)`;
  const latest = sql`completed_at + make_interval(secs => ${schedule.callbackGiveUp}::integer)`;
  const isDelivered = error === null;
  const { rows } = await sql<{ state: StateAfterTry }>`
    with ended as (
      update callbacks set
        process_id = null,
        is_retry = ${!isCutOff}::boolean,
        delivered_at = case when ${isDelivered}::boolean then clock_timestamp() end,
        due_at = case
          when ${isDelivered}::boolean then null
          when ${isCutOff}::boolean then clock_timestamp()
          when ${next} <= ${latest} then ${next}
        end,
        given_up_at = case
          when not ${isDelivered}::boolean and not ${isCutOff}::boolean and ${next} > ${latest}
          then clock_timestamp()
        end
      from batches
      where batches.id = callbacks.batch_id and callbacks.batch_id = ${batch_id}
        and callbacks.attempt = ${attempt} and callbacks.process_id = ${processId}
      returning callbacks.batch_id, callbacks.attempt, tried_at, delivered_at, given_up_at
    ), recorded as (
      insert into callback_tries (batch_id, number, at, status, error, duration_ms)
      select batch_id, attempt, tried_at, ${status}::integer, ${error}::text, ${durationMs}::integer from ended
    )
    select case
      when delivered_at is not null then 'delivered' when given_up_at is not null then 'given up' else 'waiting'
    end as state from ended
  `.execute(db);
  return rows[0]?.state;
}

/** Makes callbacks due that dead processes were sending. */
export async function takeOverCallbacks(db: Db, processId: string): Promise<void> {
  await sql`
    with owners as materialized (
      select distinct process_id from callbacks where process_id <> ${processId}
    ), lost as (
      select batch_id from callbacks
      where process_id in (select process_id from owners where not is_process_alive(process_id))
      for update skip locked
    ), taken as (
      update callbacks set process_id = null, due_at = clock_timestamp(), is_retry = false
      from lost where callbacks.batch_id = lost.batch_id
      returning callbacks.batch_id, attempt, tried_at
    )
    insert into callback_tries (batch_id, number, at, error)
    select batch_id, attempt, tried_at, ${DIED}::text from taken
  `.execute(db);
}

/** Makes all callbacks due that this process has claimed but is not sending. */
export async function releaseCallbacks(
  db: Db,
  processId: string,
  sending: readonly Pick<ClaimedCallback, 'batch_id' | 'attempt'>[],
): Promise<void> {
  await sql`
    update callbacks set process_id = null, due_at = clock_timestamp()
    where process_id = ${processId} and not exists (
      select from unnest(
        ${sending.map(({ batch_id }) => batch_id)}::text[], ${sending.map(({ attempt }) => attempt)}::integer[]
      ) as sending (batch_id, attempt)
      where sending.batch_id = callbacks.batch_id and sending.attempt = callbacks.attempt
    )
  `.execute(db);
}

/**
 * Gives up retries whose time passed while no process could send them. A first try, or one after a cut-off, is always
 * sent, even late.
 *
 * @returns the ids of their batches
 */
export async function giveUpLate(db: Db, { callbackGiveUp }: CallbackSchedule): Promise<string[]> {
  const { rows } = await sql<{ batch_id: string }>`
    with late as (
      select callbacks.batch_id from callbacks join batches on batches.id = batch_id
      where is_retry and callbacks.due_at <= clock_timestamp()
        and completed_at + make_interval(secs => ${callbackGiveUp + LATENESS_S}::integer) < clock_timestamp()
      for update of callbacks skip locked
    )
    update callbacks set due_at = null, given_up_at = clock_timestamp()
    from late where callbacks.batch_id = late.batch_id returning callbacks.batch_id
  `.execute(db);
  return rows.map(({ batch_id }) => batch_id);
}

/** `expired`: the batch's results were deleted. */
export type SentAgain = 'due' | 'being sent' | 'expired' | 'no callback';

/**
 * Makes the callback due now, with the same `webhook-id`, in any earlier state. `send-callback-again.ts` calls it. After
 * its time, it gets one try.
 */
export async function sendAgain(db: Db, batchId: string): Promise<SentAgain> {
  const { rows } = await sql<{ is_due: boolean; is_expired: boolean }>`
    with due as (
      update callbacks set due_at = clock_timestamp(), delivered_at = null, given_up_at = null, is_retry = false
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

/** A try, as the owner sees it. */
export interface CallbackTry {
  readonly number: number;
  readonly at: Date;
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number | null;
}

/** A callback, as the owner sees it. */
export interface Callback {
  readonly state: CallbackState;
  readonly url: string;
  /** The time of the next try. */
  readonly due_at: Date | null;
  /** The latest 100, oldest first. */
  readonly tries: CallbackTry[];
}

/** @returns undefined if the account has no such batch, or the batch has no callback, or is not completed */
export async function readCallback(
  db: Db,
  accountId: string,
  batchId: string,
): Promise<Callback | undefined> {
  const found = await db
    .selectFrom('callbacks')
    .innerJoin('batches', 'batches.id', 'callbacks.batch_id')
    .select([
      sql<CallbackState>`case
        when callbacks.due_at is not null then 'waiting' when callbacks.process_id is not null then 'being sent'
        when delivered_at is not null then 'delivered' else 'given up'
      end`.as('state'),
      sql<string>`url`.as('url'),
      'callbacks.due_at',
    ])
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

/** The undelivered callbacks of all accounts. Those that were given up count while the batch has its results. */
export async function countCallbacks(db: Db): Promise<CallbackCount[]> {
  const { rows } = await sql<CallbackCount>`
    select state, count(*) as count, min(since) as since from (
      select
        case
          when due_at <= clock_timestamp() then 'due' when due_at is not null then 'retry'
          when process_id is not null then 'being sent' else 'given up'
        end as state,
        case when due_at <= clock_timestamp() then due_at else coalesce(given_up_at, tried_at) end as since
      from callbacks join batches on batches.id = batch_id
      where delivered_at is null and (given_up_at is null or expires_at > clock_timestamp())
    ) as callback
    group by state order by array_position(array['due', 'retry', 'being sent', 'given up'], state)
  `.execute(db);
  return rows;
}
