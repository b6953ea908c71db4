/**
 * All SQL of notices: each account with a notice URL has a row, which remembers whether the account was told that its
 * credits run low. What it is told waits until it is due, is being sent by one process, was delivered, or was given up.
 *
 * The trigger on `ledger` makes the next look at an account due, unless the row is locked. So whoever locks it, but for
 * the look itself, makes the look due too.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { RunningLow } from '../credits/low/last-week.ts';
import type { Db } from '../database/schema.ts';
import { isLost, isStray, type LeasedTable } from '../jobs/lease-store.ts';
import type { Capacity } from '../webhooks/webhook-queue.ts';
import {
  afterTry,
  type ClaimedTry,
  claimedBy,
  DELIVERY_STATE,
  type DeliveryState,
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
} from '../webhooks/webhook-store.ts';

const NOTICES: LeasedTable = {
  table: 'notices',
  claimed: sql`process_id is not null`,
  claim: sql`concat_ws(' ', account_id, attempt)`,
};

/** In each change but the look itself, because the trigger skips a row that is locked. */
const LOOK_NOW = sql`look_at = clock_timestamp()`;

/** How many are claimed at once. The next ones follow when the first of them has been sent. */
const MOST_CLAIMED = 3;

/** Nothing is told. The attempts go on, so that a late end of an earlier try has no effect. */
const UNTOLD = {
  ...{ told_at: null, available: null, needed: null, days_left: null, message_id: null, due_at: null },
  ...{ is_retry: false, process_id: null, deaths: 0, tried_at: null, status: null, error: null },
  ...{ delivered_at: null, given_up_at: null },
};

/** Sets another URL, which is told again if the credits run low. */
export async function setNoticeUrl(db: Db, accountId: string, url: string): Promise<void> {
  const look_at = sql<Date>`clock_timestamp()`;
  await db
    .insertInto('notices')
    .values({ account_id: accountId, url })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ ...UNTOLD, url, look_at }))
    .execute();
}

/** Removes the URL, and what it was to be told. */
export async function removeNoticeUrl(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('notices').where('account_id', '=', accountId).execute();
}

/** What the owner sees. */
export interface Notice {
  readonly url: string;
  /** When the credits were found to run low. Null if they do not. */
  readonly told_at: Date | null;
  /** Null if nothing is told. */
  readonly state: DeliveryState | null;
  /** The time of the next try. */
  readonly due_at: Date | null;
  /** Why the latest try failed. */
  readonly error: string | null;
}

/** @returns undefined for an account without a notice URL */
export async function readNotice(db: Db, accountId: string): Promise<Notice | undefined> {
  const { rows } = await sql<Notice>`
    select url, told_at, due_at, error, case when told_at is not null then ${DELIVERY_STATE} end as state
    from notices where account_id = ${accountId}
  `.execute(db);
  return rows[0];
}

/** An account whose credits are to be looked at. */
export type DueLook = { readonly account_id: string; readonly is_told: boolean };

/**
 * Holds the account whose look is due longest, so that nobody changes its credits until the transaction ends. It skips
 * those that are locked.
 */
export async function holdDueLook(db: Db): Promise<DueLook | undefined> {
  const { rows } = await sql<DueLook>`
    select account_id, told_at is not null as is_told
    from notices join accounts on accounts.id = account_id
    where look_at <= statement_timestamp() order by look_at limit 1
    for no key update of accounts, notices skip locked
  `.execute(db);
  return rows[0];
}

/**
 * Ends a look. Without a change of the credits, the next one is in a day, because the days of the last week change.
 *
 * @param told what is to be told from now on: nothing, or what is new. @default as before
 */
export async function endLook(db: Db, accountId: string, told?: RunningLow | 'nothing'): Promise<void> {
  await db
    .updateTable('notices')
    .set({ look_at: sql<Date>`clock_timestamp() + interval '1 day'`, ...(told && changeTo(told)) })
    .where('account_id', '=', accountId)
    .execute();
}

const changeTo = (told: RunningLow | 'nothing') =>
  told === 'nothing'
    ? UNTOLD
    : {
        ...{ ...UNTOLD, told_at: sql<Date>`clock_timestamp()`, due_at: sql<Date>`clock_timestamp()` },
        ...{ available: told.available, needed: told.needed, days_left: told.daysLeft ?? null },
        message_id: `msg_${randomUUID()}`,
      };

/** A try that this process makes. */
export interface ClaimedNotice extends ClaimedTry {
  readonly owner_email: string;
  readonly told_at: Date;
  readonly available: number;
  readonly needed: number;
  readonly days_left: number | null;
}

/** Claims notices that are due. Two processes never claim the same one. */
export async function claimNotices(
  db: Db,
  processId: string,
  { most }: Pick<Capacity, 'most'>,
): Promise<ClaimedNotice[]> {
  const isDue = sql`due_at <= statement_timestamp() and deaths = 0`;
  return claim(db, processId, isDue, Math.min(most, MOST_CLAIMED));
}

/** Claims a notice over which a process died. It is to be sent alone. */
export async function claimSuspectNotice(db: Db, processId: string): Promise<ClaimedNotice | undefined> {
  const [claimed] = await claim(db, processId, IS_SUSPECT, 1);
  return claimed;
}

async function claim(
  db: Db,
  processId: string,
  which: ReturnType<typeof sql>,
  most: number,
): Promise<ClaimedNotice[]> {
  const { rows } = await sql<ClaimedNotice>`
    with due as materialized (
      select account_id from notices where ${which}
      order by due_at limit ${most} for no key update skip locked
    )
    update notices set ${claimedBy(processId)}, ${LOOK_NOW}
    from due join accounts on accounts.id = due.account_id
    where notices.account_id = due.account_id
    returning notices.account_id, attempt, message_id, tried_at, url, owner_email, told_at, available, needed, days_left
  `.execute(db);
  return rows;
}

/**
 * Records a try of this process, and sets the next one.
 *
 * @returns undefined if the URL was changed or removed, if the credits suffice again, or if another process has taken
 * the notice over
 */
export async function endNoticeTry(
  db: Db,
  processId: string,
  claimed: Pick<ClaimedNotice, 'account_id' | 'attempt'>,
  ended: EndedTry,
  schedule: RetrySchedule,
): Promise<StateAfterTry | undefined> {
  const { rows } = await sql<{ state: StateAfterTry }>`
    update notices set
      ${afterTry(ended, sql`told_at`, schedule)}, status = ${ended.status}::integer, error = ${ended.error}::text,
      ${LOOK_NOW}
    where account_id = ${claimed.account_id} and ${isTryOf(processId, claimed)}
    returning ${DELIVERY_STATE} as state
  `.execute(db);
  return rows[0]?.state;
}

/**
 * Takes over the notices that dead processes were sending. One over which too many processes died is given up.
 *
 * @returns the accounts whose notices were given up
 */
export async function takeOverNotices(db: Db): Promise<string[]> {
  const { rows } = await sql<{ account_id: string; is_given_up: boolean }>`
    with lost as materialized (
      select account_id from notices where ${isLost(NOTICES)} for no key update skip locked
    )
    update notices set ${takenOver()}, error = ${DIED}::text, ${LOOK_NOW}
    from lost where notices.account_id = lost.account_id
    returning notices.account_id, given_up_at is not null as is_given_up
  `.execute(db);
  return rows.filter(({ is_given_up }) => is_given_up).map(({ account_id }) => account_id);
}

/** Makes all notices due that this process has claimed but is not sending. */
export async function releaseNotices(
  db: Db,
  processId: string,
  sending: readonly Pick<ClaimedNotice, 'account_id' | 'attempt'>[],
): Promise<void> {
  const known = sending.map(({ account_id, attempt }) => `${account_id} ${attempt}`);
  await sql`
    update notices set ${RELEASED}, ${LOOK_NOW} where ${isStray(NOTICES, processId, known)}
  `.execute(db);
}

/** Gives up retries whose time passed while no process could send them. @returns their accounts */
export async function giveUpLateNotices(db: Db, schedule: RetrySchedule): Promise<string[]> {
  const { rows } = await sql<{ account_id: string }>`
    with late as (
      select account_id from notices where ${isTooLate(sql`told_at`, schedule)} for no key update skip locked
    )
    update notices set ${GIVEN_UP}, ${LOOK_NOW}
    from late where notices.account_id = late.account_id returning notices.account_id
  `.execute(db);
  return rows.map(({ account_id }) => account_id);
}
