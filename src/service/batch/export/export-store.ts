/** The SQL of exports: pages of a list's rows, or of results. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../database/schema.ts';
import type { Findings } from '../../lists/list-store.ts';
import type { StoredValue } from '../../lists/reading/cell-formats.ts';
import type { PageSize } from '../download/download-store.ts';
import type { BatchResult } from '../result-fields.ts';
import { isEmpty, type ResultFilter } from '../results/result-filter.ts';
import { IS_KEPT, matches } from '../results/result-store.ts';

/** The uploaded list that a batch was made from. */
export interface OwnList {
  readonly id: string;
  /** The titles of its columns. Null if the file has none. */
  readonly header: readonly string[] | null;
  readonly columns: number;
  readonly address_column: number;
  /** All columns of the addresses, if a row may have several. */
  readonly address_columns: readonly number[] | null;
  readonly findings: Findings;
  /** The numbers of the first and the last row, from 0. The titles, and what stood above them, had numbers too. */
  readonly first_number: number;
  readonly last_number: number;
}

/** A batch whose results are kept, or come in. */
export interface Exportable {
  readonly id: string;
  readonly name: string | null;
  readonly distinct_total: number;
  readonly response_fields: readonly string[] | null;
  /** Whether addresses have no result yet. */
  readonly is_open: boolean;
  readonly list: OwnList | undefined;
}

/** Whether a batch is open, or its results are still kept. */
const HAS_RESULTS = sql<boolean>`(completed_at is null or expires_at > clock_timestamp())`;

/** The first or the last number of the rows of a list. */
const numberOf = (which: 'min' | 'max', otherwise: number) =>
  sql<number>`coalesce((select ${sql.raw(which)}(number) from list_rows where list_id = lists.id), ${sql.lit(otherwise)})`;

/** @returns undefined if the account has no such batch, or if its results are not kept */
export async function findExportable(db: Db, accountId: string, id: string): Promise<Exportable | undefined> {
  const batch = await db
    .selectFrom('batches')
    .select(['id', 'name', 'distinct_total', 'response_fields'])
    .select(sql<boolean>`completed_at is null`.as('is_open'))
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where(HAS_RESULTS)
    .executeTakeFirst();
  if (!batch) return undefined;
  const list = await db
    .selectFrom('lists')
    .select(['id', 'header', 'columns', 'address_column', 'address_columns', 'findings'])
    .select(numberOf('max', -1).as('last_number'))
    .select(numberOf('min', 0).as('first_number'))
    .where('batch_id', '=', id)
    .$narrowType<{ findings: Findings }>()
    .executeTakeFirst();
  return { ...batch, list };
}

/** Whether the results are still kept. */
export async function isKept(db: Db, id: string): Promise<boolean> {
  const batch = await db
    .selectFrom('batches')
    .select('id')
    .where('id', '=', id)
    .where(HAS_RESULTS)
    .executeTakeFirst();
  return batch !== undefined;
}

/** The rest of a page that is too large comes with the next one. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Where the next page begins. */
  readonly next: number;
}

/** A row of the list, and the result of its address. */
export interface ListLine {
  readonly number: number;
  readonly cells: readonly string[];
  /** The values of a workbook's row, by column. */
  readonly numbers: readonly StoredValue[] | null;
  /** Null for a row without an address, or one that was left out. */
  readonly place: number | null;
  readonly result: BatchResult | null;
}

/** A row of a list whose rows may have several addresses. */
export interface SeveralLine extends Omit<ListLine, 'place' | 'result'> {
  /** The addresses of each column. Null where it has fewer than another one. */
  readonly places: readonly (readonly (number | null)[])[] | null;
  /** The results of these, by their places. */
  readonly results: Readonly<Record<number, BatchResult | null>> | null;
  /** Which of them match the filter. */
  readonly matching: readonly number[];
}

/**
 * The rows of the list from a number on that match the filter. Without a filter, all rows except those that the owner
 * has erased.
 */
export async function readListPage(
  db: Db,
  batchId: string,
  listId: string,
  filter: ResultFilter,
  from: number,
  size: PageSize,
): Promise<Page<ListLine>> {
  const lines = sql`
    select number as at, number, cells, numbers, list_rows.place, result,
      octet_length(cells::text) + coalesce(octet_length(numbers::text), 0) + coalesce(octet_length(result::text), 0) as length
    from list_rows left join batch_rows on batch_id = ${batchId} and batch_rows.place = list_rows.place
    where list_id = ${listId} and number >= ${from} and number < ${from + size.rows}
      and cells::text <> '[]' and ${matches(filter)}
  `;
  return readPage(db, from, size, lines);
}

/** As `readListPage()`, for a list whose rows may have several addresses. A row is there if one of them matches. */
export async function readSeveralPage(
  db: Db,
  batchId: string,
  listId: string,
  filter: ResultFilter,
  from: number,
  size: PageSize,
): Promise<Page<SeveralLine>> {
  const lines = sql`
    select number as at, number, cells, numbers, places, results, matching,
      octet_length(cells::text) + coalesce(octet_length(numbers::text), 0) + coalesce(octet_length(results::text), 0)
        as length
    from list_rows left join lateral (
      select json_object_agg(place, result) as results,
        coalesce(array_agg(place) filter (where ${matches(filter)}), '{}') as matching
      from batch_rows where batch_id = ${batchId} and place = any(list_rows.places)
    ) as found on true
    where list_id = ${listId} and number >= ${from} and number < ${from + size.rows}
      and cells::text <> '[]' and (${isEmpty(filter)} or cardinality(matching) > 0)
  `;
  return readPage(db, from, size, lines);
}

/** A result and the place of its address. */
export interface ResultLine {
  readonly place: number;
  readonly address: string;
  /** Null for an address of an open batch that has none yet. */
  readonly result: BatchResult | null;
}

/** The results from a place on that match the filter. Without a filter, also the addresses that have none yet. */
export async function readResultPage(
  db: Db,
  { id: batchId, is_open }: Pick<Exportable, 'id' | 'is_open'>,
  filter: ResultFilter,
  from: number,
  size: PageSize,
): Promise<Page<ResultLine>> {
  const lines = sql`
    select place as at, place, address, result,
      octet_length(address::text) + coalesce(octet_length(result::text), 0) as length
    from batch_rows
    where batch_id = ${batchId} and place >= ${from} and place < ${from + size.rows}
      and (reason is not null or ${is_open && isEmpty(filter)}) and ${IS_KEPT} and ${matches(filter)}
  `;
  return readPage(db, from, size, lines);
}

/** @param lines all lines of the page, each with its place `at` and its `length` */
async function readPage<Line>(
  db: Db,
  from: number,
  size: PageSize,
  lines: RawBuilder<unknown>,
): Promise<Page<Line>> {
  const { rows } = await sql<Line & { at: number; in_page: number }>`
    select * from (
      select *, sum(length) over (order by at) - length as before, count(*) over () as in_page
      from (${lines}) as line
    ) as measured
    where before < ${size.bytes} order by at
  `.execute(db);
  const last = rows.at(-1);
  return { rows, next: last && rows.length < last.in_page ? last.at + 1 : from + size.rows };
}
