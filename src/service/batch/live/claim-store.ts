/**
 * The SQL of live batches: the claims on addresses (`jobs/lease-store.ts`). Only the process that claimed an address
 * stores its result.
 *
 * An address whose process died while it verified it is never ready: it waits for a time that is over, so that no claim
 * of many takes it, and one of `claimSuspects` does.
 *
 * No statement here waits for an address that another connection has locked. So a deletion can lock all addresses of a
 * batch in any order without deadlocks. A skipped address stays claimed. One whose verification begins or ends is `busy`:
 * the worker tries again, because another claim that began before this one was committed locks the address for a moment.
 */
import { sql } from 'kysely';
import { changeCredits } from '../../credits/credit-store.ts';
import type { Db } from '../../database/schema.ts';
import type { Settings } from '../../deps/deps.ts';
import { isLost, isStray, type LeasedTable, MOST_DEATHS } from '../../jobs/lease-store.ts';
import { mayTakeTurn } from '../../jobs/suspect-store.ts';
import { completeBatch, countPoison, countStored, lockOwner } from '../batch-store.ts';
import { type Tally, totalCounts } from '../result-counts.ts';
import type { BatchResult } from '../result-fields.ts';
import type { Wanted } from '../turns/turn-store.ts';

const ROWS: LeasedTable = {
  table: 'batch_rows',
  claimed: sql`process_id is not null`,
  claim: sql`concat_ws(' ', batch_id, place, attempt)`,
};

/** The name of a claim, as {@link ROWS} has it. */
export const claimOf = ({ batch_id, place, attempt }: Pick<ClaimedRow, 'batch_id' | 'place' | 'attempt'>) =>
  `${batch_id} ${place} ${attempt}`;

/** When a released address may be claimed. */
const WHEN_RELEASED = sql`case when deaths > 0 then clock_timestamp() end`;

/** An address that this process verifies. */
export interface ClaimedRow {
  readonly account_id: string;
  readonly batch_id: string;
  readonly place: number;
  readonly address: string;
  /** Grows with each claim. */
  readonly attempt: number;
  /** How often it was postponed because its result may have been temporary. */
  readonly tries: number;
  /** Whether its batch retries such results. */
  readonly retries: boolean;
  /** Whether its batch asks for accept-all. Null for the config's value. */
  readonly accept_all: boolean | null;
  /** Whether its batch was created or resumed more than a day ago. */
  readonly is_old: boolean;
}

/** Claims ready addresses. Two processes never claim the same one. */
export async function claimRows(db: Db, processId: string, wanted: readonly Wanted[]): Promise<ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    with ready as materialized (
      select batch.*, place
      from unnest(${wanted.map(({ id }) => id)}::text[], ${wanted.map(({ most }) => most)}::integer[])
          as wanted (id, most),
        lateral (
          -- It may have been paused since the caller looked. It is held, so that whoever stops or deletes it ends these
          -- claims.
          select id, account_id, retries, accept_all, resumed_at, created_at from batches
          where id = wanted.id and paused_at is null and completed_at is null for key share skip locked
        ) as batch, lateral (
          select place from batch_rows
          where batch_id = batch.id and reason is null and process_id is null and due_at is null
          order by turn, place limit wanted.most for update skip locked
        ) as row
    )
    update batch_rows set process_id = ${processId}, attempt = attempt + 1
    from ready where batch_rows.batch_id = ready.id and batch_rows.place = ready.place
    returning account_id, batch_rows.batch_id, batch_rows.place, address, attempt, tries, retries, accept_all,
      coalesce(resumed_at, created_at) < clock_timestamp() - interval '1 day' as is_old
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

/** `busy`: the address is locked, and nothing has happened. `lost`: another process has the address, or nobody. */
export type ClaimOutcome = 'done' | 'busy' | 'lost';

/** Locks those of the claims in `claims` that this process still has, and passes over those that others have locked. */
const own = (claims: string, processId: string) => sql`own as materialized (
      select batch_id, place, attempt from ${sql.table(claims)} join batch_rows using (batch_id, place, attempt)
      where process_id = ${processId} for no key update of batch_rows skip locked
    )`;

/** The outcome of each claim in `claims`, whose parts are numbered. @param changed the part with those that were changed */
const outcomes = (claims: string, changed: string, processId: string) => sql`
  select case
    when changed.place is not null then 'done'
    when exists (
      select from batch_rows where batch_id = each.batch_id and place = each.place and attempt = each.attempt
        and process_id = ${processId}
    ) then 'busy'
    else 'lost'
  end as outcome
  from ${sql.table(claims)} as each left join ${sql.table(changed)} as changed using (batch_id, place, attempt)
  order by number`;

/** Ends claims of this process, and counts their results. Claims that it has lost stay as they are. */
export async function finishRows(
  db: Db,
  processId: string,
  finishes: readonly Finish[],
): Promise<ClaimOutcome[]> {
  const { rows } = await sql<{ outcome: ClaimOutcome }>`
    with new as (
      select * from unnest(
        ${finishes.map(({ row }) => row.batch_id)}::text[],
        ${finishes.map(({ row }) => row.place)}::integer[],
        ${finishes.map(({ row }) => row.attempt)}::integer[],
        ${finishes.map(({ result }) => result?.reason ?? null)}::text[],
        ${finishes.map(({ result }) => (result ? JSON.stringify(result) : null))}::text[],
        ${finishes.map(({ againInS }) => againInS ?? null)}::float8[]
      ) with ordinality as each (batch_id, place, attempt, reason, result, again_in, number)
    ), ${own('new', processId)}, finished as (
      update batch_rows set
        process_id = null,
        reason = new.reason,
        result = new.result::json,
        due_at = case
          when new.again_in is not null then clock_timestamp() + make_interval(secs => new.again_in)
          when new.reason is null then ${WHEN_RELEASED}
        end,
        tries = tries + case when new.again_in is null then 0 else 1 end
      from new join own using (batch_id, place, attempt)
      where batch_rows.batch_id = own.batch_id and batch_rows.place = own.place
      returning batch_rows.batch_id, batch_rows.place, batch_rows.attempt, batch_rows.reason
    ), ${countStored(sql`finished`)}
    ${outcomes('new', 'finished', processId)}
  `.execute(db);
  return rows.map(({ outcome }) => outcome);
}

/** Records that the verification of claimed addresses begins. */
export async function beginRows(
  db: Db,
  processId: string,
  claimed: readonly Finish['row'][],
): Promise<ClaimOutcome[]> {
  const { rows } = await sql<{ outcome: ClaimOutcome }>`
    with wanted as (
      select * from unnest(
        ${claimed.map(({ batch_id }) => batch_id)}::text[], ${claimed.map(({ place }) => place)}::integer[],
        ${claimed.map(({ attempt }) => attempt)}::integer[]
      ) with ordinality as each (batch_id, place, attempt, number)
    ), ${own('wanted', processId)}, begun as (
      update batch_rows set begun = own.attempt from own
      where batch_rows.batch_id = own.batch_id and batch_rows.place = own.place
      returning batch_rows.batch_id, batch_rows.place, batch_rows.attempt
    )
    ${outcomes('wanted', 'begun', processId)}
  `.execute(db);
  return rows.map(({ outcome }) => outcome);
}

/** Whether an address is due that processes died over, in a batch that goes on. */
const isSuspect = (isPoison: boolean) => sql<boolean>`
  due_at <= statement_timestamp() and deaths > 0 and (deaths >= ${MOST_DEATHS}) = ${isPoison}
  and exists (select from batches where id = batch_id and paused_at is null and completed_at is null)`;

/** Whether this process takes a turn with addresses that processes died over. */
export const mayVerifySuspects = (db: Db, processId: string): Promise<boolean> =>
  mayTakeTurn(db, processId, 'batch_rows', isSuspect(false));

/**
 * Claims addresses that processes died over, and records that they begin. Those that wait longest come first.
 *
 * @param kind `poison` are those that must not be verified again
 */
export async function claimSuspects(
  db: Db,
  processId: string,
  kind: 'suspect' | 'poison',
  most: number,
): Promise<ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    with suspect as materialized (
      select batch_id, place, account_id, retries, accept_all, resumed_at, batches.created_at
      from batch_rows join batches on batches.id = batch_id
      where ${isSuspect(kind === 'poison')} and batches.paused_at is null and batches.completed_at is null
      order by due_at, batch_id, place limit ${most}
      -- As in \`claimRows\`, whoever stops or deletes the batch ends these claims.
      for update of batch_rows skip locked for key share of batches skip locked
    )
    update batch_rows set process_id = ${processId}, attempt = attempt + 1, begun = attempt + 1, due_at = null
    from suspect
    where batch_rows.batch_id = suspect.batch_id and batch_rows.place = suspect.place
    returning account_id, batch_rows.batch_id, batch_rows.place, address, attempt, tries, retries, accept_all,
      coalesce(resumed_at, created_at) < clock_timestamp() - interval '1 day' as is_old
  `.execute(db);
  return rows;
}

/**
 * Makes addresses ready whose retry is due, and those that dead processes have claimed.
 *
 * @returns whether addresses wait that processes died over
 */
export async function makeReady(db: Db): Promise<boolean> {
  const { rows } = await sql<{ has_suspects: boolean }>`
    with waited as materialized (
      select batch_id, place, 0 as died from batch_rows where due_at <= statement_timestamp() and deaths = 0
      for no key update skip locked
    ), lost as materialized (
      select batch_id, place, (begun = attempt)::integer as died from batch_rows where ${isLost(ROWS)}
      for no key update skip locked
    ), released as (
      update batch_rows set
        process_id = null,
        deaths = deaths + died,
        due_at = case when deaths + died > 0 then clock_timestamp() end
      from (select * from waited union all select * from lost) as ready
      where batch_rows.batch_id = ready.batch_id and batch_rows.place = ready.place
      returning deaths
    )
    select exists (select from released where deaths > 0)
      or exists (select from batch_rows where due_at <= statement_timestamp() and deaths > 0) as has_suspects
  `.execute(db);
  return rows[0]!.has_suspects;
}

/** Makes all addresses ready that this process has claimed but does not know of. */
export async function releaseRows(db: Db, processId: string, known: readonly Finish['row'][]): Promise<void> {
  await sql`
    with unknown as materialized (
      select batch_id, place from batch_rows where ${isStray(ROWS, processId, known.map(claimOf))}
      for no key update skip locked
    )
    update batch_rows set process_id = null, due_at = ${WHEN_RELEASED}
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
 * Completes a batch if all its addresses have a result, and gives back the credits of the unknown ones with it, unless it was free.
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
    const { reason_counts, is_free } = await transaction
      .selectFrom('batches')
      .select(['reason_counts', 'is_free'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (is_free) return { refunded: 0 };
    const { unknown } = totalCounts(reason_counts as Tally, 0, 0);
    const refunded = refundUnknown ? unknown : await countPoison(transaction, id, reason_counts!);
    if (refunded > 0) {
      await changeCredits(transaction, owner, { amount: refunded, why: 'batch-refund', of: id });
    }
    return { refunded };
  });
}
