/** The SQL of lists and details of batches, for operators and owners. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../database/schema.ts';

/** A batch in a list. */
export type BatchSummary = Awaited<ReturnType<typeof listBatches>>[number];

/** All facts of a batch, without its addresses. */
export type BatchDetails = NonNullable<Awaited<ReturnType<typeof findDetails>>>;

export interface BatchFilter {
  /** Only batches of this account. */
  readonly accountId?: string | undefined;
  /** Only open batches. */
  readonly isOpen: boolean;
  /** Only those that are older than this batch. It needs the order `newest`. */
  readonly before?: string | undefined;
  /** A part of the name, in upper or lower case, or the begin of the id. */
  readonly search?: string | undefined;
  readonly state?: BatchState | undefined;
  /** When it was created. */
  readonly created?: Span | undefined;
  /** @default 'newest' */
  readonly order?: BatchOrder | undefined;
  /** How many to leave out at the begin. @default 0 */
  readonly offset?: number | undefined;
  readonly limit: number;
}

/** A range of time, without its end. */
export type Span = { readonly from: Date; readonly until: Date };

export type BatchState = 'verifying' | 'paused' | 'stopped' | 'completed';
export type BatchOrder = 'newest' | 'oldest' | 'name' | 'size';

const IN_STATE: Readonly<Record<BatchState, RawBuilder<boolean>>> = {
  verifying: sql`completed_at is null and paused_at is null`,
  paused: sql`completed_at is null and paused_at is not null`,
  stopped: sql`completed_at is not null and stopped_after is not null`,
  completed: sql`completed_at is not null and stopped_after is null`,
};

/** The id decides between equal ones, so that each batch is on one page. */
const ORDERS: Readonly<Record<BatchOrder, RawBuilder<unknown>>> = {
  newest: sql`batches.created_at desc, batches.id desc`,
  oldest: sql`batches.created_at, batches.id`,
  name: sql`lower(batches.name) nulls last, batches.id`,
  size: sql`distinct_total desc, batches.id`,
};

/** How many entries have a result. */
const PROCESSED = sql<number>`case when completed_at is not null then coalesce(stopped_after, total) else (
  select coalesce(sum(count + duplicates), 0)::bigint from batch_progress where batch_id = batches.id
) end`;
/** How many distinct addresses have one. */
const VERIFIED = sql<number>`case when stopped_after is not null then (
  select coalesce(sum(value::bigint), 0)::bigint from jsonb_each_text(reason_counts)
) when completed_at is not null then distinct_total else (
  select coalesce(sum(count), 0)::bigint from batch_progress where batch_id = batches.id
) end`;

/**
 * How many results are risky because their domain accepts every address. Batches that an earlier version completed were
 * not counted.
 */
const ACCEPT_ALL_RESULTS = sql<number>`case when completed_at is not null then coalesce(accept_all_results, 0) else (
  select coalesce(sum(progress.accept_all_results), 0)::bigint from batch_progress as progress
  where batch_id = batches.id
) end`;

const summaries = (db: Db) =>
  db
    .selectFrom('batches')
    .innerJoin('accounts', 'accounts.id', 'batches.account_id')
    .select(['batches.id', 'owner_email', 'batches.name', 'mode', 'total', PROCESSED.as('processed')])
    .select([VERIFIED.as('verified'), 'distinct_total'])
    .select(['batches.created_at', 'resumed_at', 'paused_at', 'completed_at', 'expires_at', 'emptied_at'])
    .select(['reason_counts', 'stopped_after']);

export async function listBatches(
  db: Db,
  { accountId, isOpen, before, search, state, created, order = 'newest', offset = 0, limit }: BatchFilter,
) {
  // Chosen first, so that only the results of these are counted.
  let chosen = db.selectFrom('batches').select('id').orderBy(ORDERS[order]).limit(limit).offset(offset);
  if (accountId !== undefined) chosen = chosen.where('account_id', '=', accountId);
  if (isOpen) chosen = chosen.where('completed_at', 'is', null);
  if (before !== undefined)
    chosen = chosen.where(
      sql<boolean>`(created_at, id) < (select created_at, id from batches as later where later.id = ${before})`,
    );
  if (search !== undefined)
    chosen = chosen.where(
      sql<boolean>`(strpos(lower(name), lower(${search}::text)) > 0 or strpos(id, lower(${search}::text)) = 1)`,
    );
  if (state !== undefined) chosen = chosen.where(IN_STATE[state]);
  if (created)
    chosen = chosen.where('created_at', '>=', created.from).where('created_at', '<', created.until);
  return summaries(db).where('batches.id', 'in', chosen).orderBy(ORDERS[order]).execute();
}

/** @param accountId the account that must own the batch. Absent for the operator. */
export async function findDetails(db: Db, id: string, accountId?: string) {
  return summaries(db)
    .select(['account_id', 'response_fields', 'retries', 'accept_all', 'is_free', 'url', 'made_by'])
    .select(ACCEPT_ALL_RESULTS.as('acceptAllResults'))
    .where('batches.id', '=', id)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId!))
    .executeTakeFirst();
}

/** Addresses that a process has claimed. */
export type Claimed = { readonly process_id: string; readonly is_alive: boolean; readonly addresses: number };

/** What the addresses of a batch without a result wait for. */
export interface OpenAddresses {
  readonly ready: number;
  readonly claimed: readonly Claimed[];
  /** Those that are tried again later. */
  readonly later: number;
  readonly first_due_at: Date | null;
  readonly last_due_at: Date | null;
}

export async function readOpenAddresses(db: Db, id: string): Promise<OpenAddresses> {
  const { rows } = await sql<Omit<OpenAddresses, 'claimed'>>`
    select count(*) filter (where process_id is null and due_at is null) as ready,
      count(due_at) as later, min(due_at) as first_due_at, max(due_at) as last_due_at
    from batch_rows where batch_id = ${id} and reason is null
  `.execute(db);
  const claimed = await sql<Claimed>`
    select process_id, is_process_alive(process_id) as is_alive, addresses from (
      select process_id, count(*) as addresses from batch_rows
      where batch_id = ${id} and process_id is not null group by process_id
    ) as claims order by process_id
  `.execute(db);
  return { ...rows[0]!, claimed: claimed.rows };
}

/** Addresses in one state, of all batches of a mode. */
export interface Queue {
  readonly mode: 'test' | 'live';
  readonly state: 'ready' | 'paused' | 'later';
  readonly addresses: number;
  readonly batches: number;
  /** `ready`: when the oldest batch was created. `paused`: the first pause. */
  readonly since: Date;
  /** `later`: when the first and the last are tried again. */
  readonly first_due_at: Date | null;
  readonly last_due_at: Date | null;
}

/** The addresses that no process works on. */
export async function readQueues(db: Db): Promise<Queue[]> {
  const { rows } = await sql<Queue>`
    select mode, state, count(*) as addresses, count(distinct id) as batches,
      min(case when state = 'paused' then paused_at else created_at end) as since,
      min(due_at) as first_due_at, max(due_at) as last_due_at
    from (
      select mode, id, created_at, paused_at, due_at, case
        when paused_at is not null then 'paused' when due_at is not null then 'later' else 'ready'
      end as state
      from batches join batch_rows on batch_id = id
      where completed_at is null and reason is null and process_id is null
    ) as waiting
    group by mode, state order by mode, state
  `.execute(db);
  return rows;
}

/** The claims of each process on all batches. */
export async function readClaims(db: Db): Promise<(Claimed & { readonly batches: number })[]> {
  const { rows } = await sql<Claimed & { batches: number }>`
    select process_id, is_process_alive(process_id) as is_alive, addresses, batches from (
      select process_id, count(*) as addresses, count(distinct batch_id) as batches
      from batch_rows where process_id is not null group by process_id
    ) as claims order by process_id
  `.execute(db);
  return rows;
}

/** A group of batches, and when the first one entered it. */
export type Some = { readonly count: number; readonly since: Date | null };

/** The batches whose addresses should have been deleted. */
export async function readDueRetention(db: Db): Promise<Some> {
  const { rows } = await sql<Some>`
    select count(*) as count, min(expires_at) as since from batches
    where emptied_at is null and expires_at <= clock_timestamp()
  `.execute(db);
  return rows[0]!;
}

/** The addresses of completed live batches that got `unexpected_error`, while their results are kept. */
export async function readUnexpected(db: Db): Promise<Some> {
  const { rows } = await sql<Some>`
    select coalesce(sum((reason_counts ->> 'unexpected_error')::bigint), 0)::bigint as count,
      min(completed_at) as since
    from batches
    where mode = 'live' and emptied_at is null and reason_counts ? 'unexpected_error'
  `.execute(db);
  return rows[0]!;
}

/** How many addresses of open batches are in each state, of one mode. */
export interface QueueSizes {
  readonly mode: 'test' | 'live';
  readonly ready: number;
  readonly claimed: number;
  /** Those that are tried again later. */
  readonly later: number;
  readonly paused: number;
}

/** Counts waiting addresses without reading them, so the time does not depend on the length of the queue. */
export async function readQueueSizes(db: Db): Promise<QueueSizes[]> {
  const { rows } = await sql<QueueSizes>`
    with verified as (
      select batch_id, sum(count)::bigint as count from batch_progress group by batch_id
    ), open as (
      select id, mode, paused_at is not null as is_paused, distinct_total - coalesce(count, 0) as addresses
      from batches left join verified on batch_id = id where completed_at is null
    ), held as (
      select batch_id, sum(claimed) as claimed, sum(later) as later from (
        select batch_id, 1 as claimed, 0 as later from batch_rows where process_id is not null
        union all select batch_id, 0, 1 from batch_rows where due_at is not null
      ) as each group by batch_id
    )
    select mode, coalesce(sum(claimed), 0)::bigint as claimed,
      coalesce(sum(later) filter (where not is_paused), 0)::bigint as later,
      coalesce(sum(addresses - coalesce(claimed, 0) - coalesce(later, 0)) filter (where not is_paused), 0)::bigint
        as ready,
      coalesce(sum(addresses - coalesce(claimed, 0)) filter (where is_paused), 0)::bigint as paused
    from open left join held on batch_id = id
    group by mode order by mode
  `.execute(db);
  return rows;
}

/** How long a batch has waited for its start. */
export type QueueWait = { readonly mode: 'test' | 'live'; readonly seconds: number };

/** The longest such wait of each mode. The first address of a batch starts first, so it represents all. */
export async function readQueueWaits(db: Db): Promise<QueueWait[]> {
  const { rows } = await sql<QueueWait>`
    select mode, extract(epoch from clock_timestamp() - min(coalesce(resumed_at, created_at)))::float8 as seconds
    from batches join batch_rows on batch_id = id and place = 0
    where completed_at is null and paused_at is null
      and attempt = 0 and process_id is null and due_at is null and reason is null
    group by mode order by mode
  `.execute(db);
  return rows;
}
