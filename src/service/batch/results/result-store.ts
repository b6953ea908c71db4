/**
 * The SQL of searching results.
 *
 * The statements search the JSON text of a result. PostgreSQL's functions for JSON take ten times as long, and fail for
 * characters such as NUL. An address cannot imitate a field, because its quotes are escaped.
 */
import { type RawBuilder, sql } from 'kysely';
import { reasonsIn } from '../../../protocol/state-of-reason.ts';
import type { Db } from '../../database/schema.ts';
import { ERASED_ADDRESS } from '../erased-address.ts';
import type { BatchResult } from '../result-fields.ts';
import { type Attribute, type ResultFilter, reasonsOf, type Sort } from './result-filter.ts';

/** A result in a table. */
export interface FoundResult {
  /** The place of its address in the batch, from 0. */
  readonly place: number;
  /** How many more entries are equal to it. */
  readonly duplicates: number;
  readonly result: BatchResult;
}

export type Slice = { readonly offset: number; readonly limit: number };

/** Whether the address was not erased by its owner: see `erased-address.ts`. */
export const IS_KEPT = sql<boolean>`address::text <> ${JSON.stringify(ERASED_ADDRESS)}`;

/** The results so far, in the order sent. */
export async function readSlice(db: Db, id: string, { offset, limit }: Slice): Promise<FoundResult[]> {
  return db
    .selectFrom('batch_rows')
    .select(['place', 'duplicates', 'result'])
    .where('batch_id', '=', id)
    .where('reason', 'is not', null)
    .where(IS_KEPT)
    .orderBy('place')
    .limit(limit)
    .offset(offset)
    .$narrowType<FoundResult>()
    .execute();
}

export interface Found {
  /** How many results match. */
  readonly count: number;
  readonly rows: FoundResult[];
}

/** Facts about the results of a completed batch. */
export interface ResultFacts {
  /** How many addresses their owner has erased. */
  readonly erased: number;
  /** Whether any server is known to accept every address. Not every batch tests that. */
  readonly hasAcceptAll: boolean;
}

export async function readResultFacts(db: Db, id: string): Promise<ResultFacts> {
  const { rows } = await sql<ResultFacts>`
    select count(*) filter (where not ${IS_KEPT}) as erased,
      coalesce(bool_or(${isTrue('accept_all')}), false) as "hasAcceptAll"
    from batch_rows where batch_id = ${id} and reason is not null
  `.execute(db);
  return rows[0]!;
}

/** Searches all results of a batch. 50,000 take about 100 ms. */
export async function searchResults(
  db: Db,
  id: string,
  filter: ResultFilter,
  sort: Sort,
  { offset, limit }: Slice,
): Promise<Found> {
  const { key, direction } = SORT_KEYS[sort];
  const { rows } = await sql<{ count: number } & (FoundResult | { place: null })>`
    with matching as materialized (
      select place, ${key} as key from batch_rows
      where batch_id = ${id} and reason is not null and ${IS_KEPT} and ${matches(filter)}
    ), page as materialized (
      select place, key from matching order by key ${direction}, place limit ${limit} offset ${offset}
    ), counted as (select count(*) as count from matching)
    select count, place, duplicates, result
    from counted left join (page join batch_rows using (place)) on batch_id = ${id}
    order by key ${direction}, place
  `.execute(db);
  return {
    count: rows[0]!.count,
    rows: rows.flatMap(({ count: _, ...row }) => (row.place === null ? [] : [row])),
  };
}

/** A condition on `batch_rows`, for a row with a result. */
export function matches(filter: ResultFilter): RawBuilder<boolean> {
  const reasons = reasonsOf(filter);
  const conditions = [
    ...(reasons ? [sql<boolean>`reason = any(${reasons}::text[])`] : []),
    ...(filter.attribute ? [ATTRIBUTE[filter.attribute]] : []),
    ...(filter.search ? [contains(filter.search)] : []),
  ];
  return conditions.length === 0 ? sql`true` : sql`${sql.join(conditions, sql` and `)}`;
}

/** Searches the text in its JSON form. The text is not a pattern. */
const contains = (text: string) =>
  sql<boolean>`strpos(lower(address::text), lower(${JSON.stringify(text).slice(1, -1)}::text)) > 0`;

const isTrue = (field: string) => sql<boolean>`strpos(result::text, ${`"${field}":true`}) > 0`;

const ATTRIBUTE: Readonly<Record<Attribute, RawBuilder<boolean>>> = {
  disposable: isTrue('disposable'),
  free: isTrue('free'),
  role: isTrue('role'),
  accept_all: isTrue('accept_all'),
  no_reply: isTrue('no_reply'),
  mailbox_full: isTrue('mailbox_full'),
  did_you_mean: sql`strpos(result::text, '"did_you_mean":null') = 0`,
  duplicate: sql`duplicates > 0`,
};

/** The states in the order of the dashboard, each with its reasons. */
const BY_STATE = (['deliverable', 'risky', 'undeliverable', 'unknown'] as const).flatMap(reasonsIn);

const up = sql`asc`;
const score = sql`split_part(substr(result::text, strpos(result::text, '"score":') + 8, 4), ',', 1)::integer`;
const SORT_KEYS: Readonly<Record<Sort, { key: RawBuilder<unknown>; direction: RawBuilder<unknown> }>> = {
  place: { key: sql`null::integer`, direction: up },
  address: { key: sql`lower(address::text) collate "C"`, direction: up },
  domain: { key: sql`lower(split_part(address::text, '@', -1)) collate "C"`, direction: up },
  state: { key: sql`array_position(${BY_STATE}::text[], reason)`, direction: up },
  score: { key: score, direction: up },
  '-score': { key: score, direction: sql`desc` },
};
