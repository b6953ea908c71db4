/** All SQL of lists: drafts, which are deleted after an hour, and the uploaded columns of batches. */
import { randomBytes } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { replaceText, type TextChange } from '../database/replace-text.ts';
import type { Db } from '../database/schema.ts';
import { MAX_ROWS_CHARACTERS } from './reading/list-limits.ts';
import type { ListFacts } from './reading/read-list.ts';
import type { Portion } from './reading/reader-protocol.ts';

/** How long a draft is kept for its start. */
const DRAFT_MINUTES = 60;
/** The margin keeps a draft whole that is started at the last moment. */
const DELETE_AFTER_MINUTES = DRAFT_MINUTES + 5;
/** For each account. Simultaneous uploads can exceed it by a few. */
export const MOST_DRAFTS = 5;
/** An account whose drafts have as many bytes can add no other one. So they have at most twice as many. */
export const MOST_DRAFT_BYTES = MAX_ROWS_CHARACTERS;
/** How many rows a statement deletes. */
const CHUNK = 10_000;

/** The reader's findings about a list. */
export type Findings = Pick<ListFacts, 'encoding' | 'sheet' | 'addresses'>;

export interface NewDraft {
  readonly accountId: string;
  readonly name: string;
  readonly facts: ListFacts;
}

/** Stores a whole list or nothing. Rows keep their number in the file, whether or not the first row has titles. */
export async function insertDraft(
  db: Db,
  { accountId, name, facts }: NewDraft,
  portions: AsyncIterable<Portion>,
): Promise<string> {
  const { columns, rows, first, hasHeader, addressColumn, addresses, encoding, sheet } = facts;
  const id = randomBytes(12).toString('hex');
  const findings: Findings = { addresses, ...(encoding && { encoding }), ...(sheet && { sheet }) };
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('lists')
      .values({
        ...{ id, account_id: accountId, name, columns, address_column: addressColumn },
        header: hasHeader ? JSON.stringify(first) : null,
        row_count: hasHeader ? rows - 1 : rows,
        findings: JSON.stringify(findings),
      })
      .execute();
    let bytes = 0;
    for await (const { from, json } of portions) {
      bytes += Buffer.byteLength(json);
      await sql`
        insert into list_rows (list_id, number, cells)
        select ${id}, ${from}::integer + ordinality - 1, cells
        from json_array_elements(${json}::json) with ordinality as row (cells, ordinality)
        where ${from}::integer + ordinality > ${hasHeader ? 1 : 0}
      `.execute(transaction);
    }
    await transaction.updateTable('lists').set({ bytes }).where('id', '=', id).execute();
  });
  return id;
}

/** A list as its owner sees it. */
export interface List {
  readonly id: string;
  /** Null for a draft. */
  readonly batch_id: string | null;
  readonly name: string;
  readonly header: readonly string[] | null;
  readonly columns: number;
  readonly row_count: number;
  readonly bytes: number;
  readonly address_column: number;
  readonly findings: Findings;
  /** When a draft can no longer be started. */
  readonly ends_at: Date;
}

const endsAt = sql<Date>`created_at + make_interval(mins => ${DRAFT_MINUTES})`;
/** An expired draft counts as deleted. */
const isThere = sql<boolean>`(batch_id is not null or ${endsAt} > clock_timestamp())`;

const listsOf = (db: Db, accountId: string) =>
  db
    .selectFrom('lists')
    .select(['id', 'batch_id', 'name', 'header', 'columns', 'row_count', 'bytes'])
    .select(['address_column', 'findings'])
    .select(endsAt.as('ends_at'))
    .where('account_id', '=', accountId)
    .where(isThere)
    .$narrowType<{ findings: Findings }>();

export const findList = (db: Db, accountId: string, id: string): Promise<List | undefined> =>
  listsOf(db, accountId).where('id', '=', id).executeTakeFirst();

/** Newest first. */
export const draftsOf = (db: Db, accountId: string): Promise<List[]> =>
  listsOf(db, accountId).where('batch_id', 'is', null).orderBy('created_at', 'desc').execute();

/** The limits of an account's batches. */
export async function readLimits(db: Db, accountId: string) {
  return db
    .selectFrom('accounts')
    .select(['available_credits as credits', 'batch_size as batchSize'])
    .where('id', '=', accountId)
    .executeTakeFirst();
}

export interface NumberedCell {
  readonly number: number;
  readonly cell: string | null;
}

/** One column of some rows, in order. Shorter rows have null. @param after the number of a row */
export async function readColumn(
  db: Db,
  id: string,
  column: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<NumberedCell[]> {
  return (
    db
      .selectFrom('list_rows')
      // As JSON, because a cell can have characters that a text of PostgreSQL cannot.
      .select(['number', sql<string | null>`cells -> ${column}::integer`.as('cell')])
      .where('list_id', '=', id)
      .where('number', '>', after)
      .orderBy('number')
      .limit(limit)
      .execute()
  );
}

export async function readFirstRows(db: Db, id: string, limit: number): Promise<(readonly string[])[]> {
  const rows = await db
    .selectFrom('list_rows')
    .select('cells')
    .where('list_id', '=', id)
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map(({ cells }) => cells);
}

/** The rows of a batch's list that are not in the batch. */
export interface LeftOut {
  /** All rows of the list. */
  readonly rows: number;
  /** Emptied, because the owner has erased an address. They may have been in the batch. */
  readonly erased: number;
  /** Without anything in the column of the addresses. */
  readonly blank: number;
  /** With something other than an address there. */
  readonly malformed: number;
}

/** A cell is JSON, in which white space may be written with a backslash. */
const BLANK = '^"(\\s|\\\\[tnrf])*"$';

/**
 * Uploads drop empty rows, so a row without cells was erased.
 *
 * @returns undefined if the batch has no list, or its list was deleted
 */
export async function readLeftOut(db: Db, batchId: string): Promise<LeftOut | undefined> {
  const { rows } = await sql<LeftOut>`
    select row_count as rows, erased, blank, missing - blank - erased as malformed from lists cross join lateral (
      select count(*) as missing, count(*) filter (where is_erased) as erased,
        count(*) filter (where not is_erased and coalesce((cells -> address_column)::text, '""') ~ ${BLANK}) as blank
      from list_rows cross join lateral (select cells::text = '[]' as is_erased) as row
      where list_id = lists.id and place is null
    ) as counted
    where batch_id = ${batchId}
  `.execute(db);
  return rows[0];
}

/**
 * The first row of each address in the file, from 1. The titles count as a row.
 *
 * @returns undefined if the batch has no list
 */
export async function readRowNumbers(
  db: Db,
  batchId: string,
  places: readonly number[],
): Promise<ReadonlyMap<number, number> | undefined> {
  const list = await db.selectFrom('lists').select('id').where('batch_id', '=', batchId).executeTakeFirst();
  if (!list) return undefined;
  const { rows } = await sql<{ place: number; row: number }>`
    select place, min(number) + 1 as row from list_rows
    where list_id = ${list.id} and place = any(${places}::integer[]) group by place
  `.execute(db);
  return new Map(rows.map(({ place, row }) => [place, row]));
}

/** @returns whether the draft existed */
export async function deleteDraft(db: Db, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('lists')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('batch_id', 'is', null)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Locks a list until the transaction ends. @returns undefined if it no longer exists */
export async function lockList(db: Db, accountId: string, id: string) {
  return listsOf(db, accountId)
    .clearSelect()
    .select('batch_id')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** How the rows of a list map to its batch. */
export interface Start {
  readonly batchId: string;
  readonly name: string;
  readonly addressColumn: number;
  /** The titles, if the owner says that the first row has them. */
  readonly header: readonly string[] | null;
  /** The first row, if the owner says that it has no titles. */
  readonly firstRow: readonly string[] | null;
  readonly numbers: readonly number[];
  readonly places: readonly number[];
}

/** Makes a locked draft the list of a batch. */
export async function attachBatch(db: Db, id: string, start: Start): Promise<void> {
  const { batchId, name, addressColumn, header, firstRow, numbers, places } = start;
  if (header) await db.deleteFrom('list_rows').where('list_id', '=', id).where('number', '=', 0).execute();
  if (firstRow) {
    await db
      .insertInto('list_rows')
      .values({ list_id: id, number: 0, cells: JSON.stringify(firstRow) })
      .execute();
  }
  await sql`
    update list_rows set place = new.place
    from unnest(${numbers}::integer[], ${places}::integer[]) as new (number, place)
    where list_id = ${id} and list_rows.number = new.number
  `.execute(db);
  await db
    .updateTable('lists')
    .set(({ selectFrom }) => ({
      batch_id: batchId,
      name,
      address_column: addressColumn,
      header: header && JSON.stringify(header),
      row_count: selectFrom('list_rows')
        .select(({ fn }) => sql<number>`${fn.countAll()}::integer`.as('rows'))
        .where('list_id', '=', id),
    }))
    .where('id', '=', id)
    .execute();
}

/**
 * Deletes rows of an expired draft, or of a list whose batch's results have expired, and finally the list. Skips lists
 * that another process is clearing.
 *
 * @returns whether there may be more to delete
 */
export async function forgetRows(db: Db, most = CHUNK): Promise<boolean> {
  const old = sql`
    select id from lists
    where case when batch_id is null
      then created_at < clock_timestamp() - make_interval(mins => ${DELETE_AFTER_MINUTES})
      else exists (select from batches where batches.id = batch_id and expires_at <= clock_timestamp())
    end
    limit 1 for update skip locked
  `;
  const { rows } = await sql<{ lists: number }>`
    with ${listDeletion(old, most)} select count(*) as lists from list
  `.execute(db);
  return rows[0]!.lists > 0;
}

/**
 * Parts of a `with` that delete rows of a list, and the list after its last ones. Titles of columns may be somebody's
 * data: a list without titles can be taken for one with them. `list_chunk` has the rows. What another process has just
 * deleted may still be in it, so a chunk that is not full is the last one.
 *
 * @param list the query of its id
 */
export const listDeletion = (list: RawBuilder<unknown>, most: number) => sql`
  list as materialized (${list}),
  list_chunk as materialized (
    select list_id, number from list_rows where list_id = (select id from list) order by number limit ${most}
  ), gone_from_list as (
    delete from list_rows using list_chunk
    where list_rows.list_id = list_chunk.list_id and list_rows.number = list_chunk.number
  ), gone_list as (
    delete from lists where id = (select id from list) and (select count(*) from list_chunk) < ${most}
  )`;

/** Deletes the rows of a batch's list, so many in a statement. The list itself is deleted with the batch. */
export async function deleteListRows(db: Db, batchId: string, most: number): Promise<void> {
  const list = await db
    .selectFrom('lists')
    .select(['id', 'row_count'])
    .where('batch_id', '=', batchId)
    .executeTakeFirst();
  for (let from = 0; list && from < list.row_count; from += most) {
    await db
      .deleteFrom('list_rows')
      .where('list_id', '=', list.id)
      .where('number', '>=', from)
      .where('number', '<', from + most)
      .execute();
  }
}

/** Empties rows of a list. They stay without cells and without an address, so the others keep their places. */
export async function emptyListRows(db: Db, listId: string, numbers: readonly number[]): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('list_rows')
    .set({ cells: '[]', place: null })
    .where('list_id', '=', listId)
    .where('number', '=', sql<number>`any(${numbers}::integer[])`)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export const replaceInList = (column: 'name' | 'header' | 'findings') => (db: Db, change: TextChange) =>
  replaceText(db, 'lists', column, change);
