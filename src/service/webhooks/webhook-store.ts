/**
 * The SQL of webhooks, for each table whose rows are messages. A message waits until it is due, is being sent by one
 * process, was delivered, or was given up. Exactly one of `due_at`, `process_id`, `delivered_at` and `given_up_at` is set.
 * As for a lease, the changes are written here once, and the statements are in the stores of the tables.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Durations } from '../config/sections/durations-section.ts';
import { MOST_DEATHS } from '../jobs/lease-store.ts';

/** How late the last try may start, in seconds. */
const LATENESS_S = 5;
export const DIED = 'The service ended before the receiver answered.';
/** How long a message waits after its process died, in seconds. It doubles with each death. */
const AFTER_DEATH_S = 1;

/** When a message is tried again, in seconds (interface, section 6.1). */
export type RetrySchedule = Pick<Durations, 'callbackRetry' | 'callbackGiveUp'>;

/** A try that this process makes. */
export interface ClaimedTry {
  /** Grows with each claim of the same message. */
  readonly attempt: number;
  /** The header `webhook-id`. */
  readonly message_id: string;
  /** When the try began. */
  readonly tried_at: Date;
  readonly url: string;
  readonly account_id: string;
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

export type DeliveryState = 'waiting' | 'being sent' | 'delivered' | 'given up';
/** The state of a message after a try. */
export type StateAfterTry = Exclude<DeliveryState, 'being sent'>;

export const DELIVERY_STATE = sql<DeliveryState>`case
  when due_at is not null then 'waiting' when process_id is not null then 'being sent'
  when delivered_at is not null then 'delivered' else 'given up'
end`;

/** A process died over it. It is to be sent alone. */
export const IS_SUSPECT = sql<boolean>`due_at <= statement_timestamp() and deaths > 0`;

/** The start of a try of this process. */
export const claimedBy = (processId: string) => sql`
  process_id = ${processId}, attempt = attempt + 1, tried_at = clock_timestamp(), due_at = null`;

/** Whether nobody else has claimed the message meanwhile. */
export const isTryOf = (processId: string, { attempt }: Pick<ClaimedTry, 'attempt'>) =>
  sql<boolean>`attempt = ${attempt} and process_id = ${processId}`;

/** The end of a try, and the time of the next one. @param since the message is given up some time after it */
export function afterTry(
  { error, isCutOff }: EndedTry,
  since: RawBuilder<Date>,
  { callbackRetry, callbackGiveUp }: RetrySchedule,
): RawBuilder<unknown> {
  const next = sql`tried_at + make_interval(secs => ${callbackRetry}::integer)`;
  const isLast = sql`${next} > ${since} + make_interval(secs => ${callbackGiveUp}::integer)`;
  const failed = isCutOff
    ? sql`due_at = clock_timestamp()`
    : sql`due_at = case when not ${isLast} then ${next} end, given_up_at = case when ${isLast} then clock_timestamp() end`;
  const ended = error === null ? sql`delivered_at = clock_timestamp()` : failed;
  return sql`process_id = null, is_retry = ${!isCutOff}::boolean, ${ended}`;
}

/** What a dead process was sending is due later, or given up after too many deaths. @param laterS a further wait */
export const takenOver = (laterS = sql<number>`0`) => sql`
  process_id = null, is_retry = false, deaths = deaths + 1,
  due_at = case when deaths + 1 < ${MOST_DEATHS}
    then clock_timestamp() + make_interval(secs => ${AFTER_DEATH_S}::float8 * 2 ^ deaths + ${laterS}) end,
  given_up_at = case when deaths + 1 >= ${MOST_DEATHS} then clock_timestamp() end`;

/** What this process has claimed and does not send. */
export const RELEASED = sql`process_id = null, due_at = clock_timestamp()`;

/** Its time passed while no process could send it. */
export const GIVEN_UP = sql`due_at = null, given_up_at = clock_timestamp()`;

/** Whether a retry is too late. A first try, or one after a cut-off, is always sent, even late. */
export const isTooLate = (since: RawBuilder<Date>, { callbackGiveUp }: RetrySchedule) => sql<boolean>`
  is_retry and due_at <= statement_timestamp()
  and ${since} < statement_timestamp() - make_interval(secs => ${callbackGiveUp + LATENESS_S}::integer)`;
