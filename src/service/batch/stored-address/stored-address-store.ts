/** The SQL that finds an address in the data of batches, and erases it. */
import { type RawBuilder, sql } from 'kysely';
import type { Reason } from '../../../protocol/result.ts';
import { holdsOneOf } from '../../database/ascii.ts';
import type { Db } from '../../database/schema.ts';
import { oldestFirst, searchInChunks } from '../../database/search-in-chunks.ts';
import { fileRow } from '../../lists/list-store.ts';
import type { BatchResult } from '../result-fields.ts';

/** The rows that one statement searches. It takes about 20 ms, and no connection is held between two. */
const CHUNK = 10_000;

/** A batch that may contain the address. Its rows cannot be erased before it is completed. */
export type SearchedBatch = Awaited<ReturnType<typeof searchedBatches>>[number];

/** The batches of an account that have addresses, oldest first. */
export async function searchedBatches(db: Db, accountId: string) {
  return db
    .selectFrom('batches')
    .select(['id', 'name', 'mode', 'distinct_total', 'created_at', 'completed_at'])
    .where('account_id', '=', accountId)
    .where('emptied_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export interface CandidateRow {
  readonly place: number;
  readonly address: string;
  readonly duplicates: number;
  readonly reason: Reason | null;
  readonly result: BatchResult | null;
}

/** The addresses of a batch that may match, or whose results may suggest a match. */
export async function* candidateRows(
  db: Db,
  { id, distinct_total }: Pick<SearchedBatch, 'id' | 'distinct_total'>,
  ascii: readonly string[],
): AsyncGenerator<CandidateRow> {
  const text = sql<string>`concat(address::text, result::text)`;
  for (let from = 0; from < distinct_total; from += CHUNK) {
    const { rows } = await sql<CandidateRow>`
      select place, address, duplicates, reason, result from batch_rows
      where batch_id = ${id} and place >= ${from} and place < ${from + CHUNK}
        and ${holdsOneOf(text, ascii)}
      order by place
    `.execute(db);
    yield* rows;
  }
}

/** An uploaded list. */
export interface SearchedList {
  readonly id: string;
  readonly name: string;
  readonly batch_id: string | null;
  readonly header: readonly string[] | null;
  /** Whether its batch runs. A draft is not open. */
  readonly is_open: boolean;
  readonly last_number: number | null;
}

/** How many lists one statement describes. Each needs some seven pages. */
const LISTS_CHUNK = 200;

/** The lists of an account, oldest first. */
export async function searchedLists(db: Db, accountId: string, size = LISTS_CHUNK): Promise<SearchedList[]> {
  const search = (chunk: RawBuilder<unknown>) => sql`
    select lists.id, lists.name, batch_id, header, batch_id is not null and completed_at is null as is_open,
      (select max(number) from list_rows where list_id = lists.id) as last_number
    from ${chunk} as lists left join batches on batches.id = batch_id
    order by lists.created_at, lists.id
  `;
  return searchInChunks<SearchedList>(db, size, oldestFirst('lists', accountId), search);
}

export interface CandidateListRow {
  readonly number: number;
  /** Its number in the file, from 1. */
  readonly row: number;
  readonly cells: readonly string[];
  /** The addresses that it has in the batch. */
  readonly places: readonly (number | null | readonly (number | null)[])[];
}

/** @param places rows with these addresses of the batch are also candidates */
export async function* candidateListRows(
  db: Db,
  { id, last_number }: Pick<SearchedList, 'id' | 'last_number'>,
  ascii: readonly string[],
  places: readonly number[],
): AsyncGenerator<CandidateListRow> {
  for (let from = 0; from <= (last_number ?? -1); from += CHUNK) {
    const { rows } = await sql<CandidateListRow>`
      select number, ${fileRow} as row, cells, coalesce(places, array[place]) as places from list_rows
      where list_id = ${id} and number >= ${from} and number < ${from + CHUNK}
        and (${holdsOneOf(sql<string>`cells::text`, ascii)} or place = any(${places}::integer[])
          or places && ${places}::integer[])
      order by number
    `.execute(db);
    yield* rows;
  }
}

/** The replacement for an address and its result. */
export interface Replacement {
  readonly place: number;
  /** Null if the address stays, and only its result changes. */
  readonly address: string | null;
  /** Null for an address that a stopped batch has not verified. */
  readonly result: BatchResult | null;
}

/** Replaces addresses and results of a batch, if it is completed. @returns how many */
export async function replaceRows(
  db: Db,
  batchId: string,
  replacements: readonly Replacement[],
): Promise<number> {
  const { rows } = await sql`
    update batch_rows set address = coalesce(to_json(new.address), batch_rows.address),
      result = case when reason is not null then new.result end
    from rows from (
      unnest(${replacements.map(({ place }) => place)}::integer[]),
      unnest(${replacements.map(({ address }) => address)}::text[]),
      json_array_elements(${JSON.stringify(replacements.map(({ result }) => result))}::json)
    ) as new (place, address, result)
    where batch_id = ${batchId} and batch_rows.place = new.place
      and exists (select from batches where id = ${batchId} and completed_at is not null)
    returning batch_rows.place
  `.execute(db);
  return rows.length;
}
