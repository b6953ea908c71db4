/** All SQL of lists: drafts, which are deleted after `durations.review`, and the uploaded columns of batches. */
import { type RawBuilder, sql } from 'kysely';
import { nextTurn } from '../../shared/steps.ts';
import { makeId } from '../core/random-id.ts';
import { MOST_DELETED } from '../database/delete-some.ts';
import { replaceText, type TextChange } from '../database/replace-text.ts';
import type { Db } from '../database/schema.ts';
import { MAX_ROWS_CHARACTERS } from './reading/list-limits.ts';
import type { ListFacts } from './reading/read-list.ts';
import type { Portion } from './reading/reader-protocol.ts';

/** How long a draft is kept for its start that an earlier version has stored. */
const OLD_DRAFT_MINUTES = 60;
/** The margin keeps a draft whole that is started at the last moment. */
const MARGIN_MINUTES = 5;
/** For each account. Simultaneous uploads can exceed it by a few. */
export const MOST_DRAFTS = 5;
/** An account whose drafts have as many bytes can add no other one. So they have at most twice as many. */
export const MOST_DRAFT_BYTES = MAX_ROWS_CHARACTERS;

/** The reader's findings about a list. Lists of earlier versions have no `longest`. */
export type Findings = Pick<ListFacts, 'encoding' | 'sheet' | 'addresses'> &
  Partial<Pick<ListFacts, 'longest'>>;

export interface NewDraft {
  readonly accountId: string;
  readonly name: string;
  readonly facts: ListFacts;
  /** How long it is kept for its start, in seconds. */
  readonly keptSeconds: number;
}

/** Stores a whole list or nothing. Rows keep their number in the file, whether or not the first row has titles. */
export async function insertDraft(
  db: Db,
  { accountId, name, facts, keptSeconds }: NewDraft,
  portions: AsyncIterable<Portion>,
): Promise<string> {
  const { columns, rows, first, hasHeader, addressColumn, addresses, longest, encoding, sheet } = facts;
  const id = makeId();
  const findings: Findings = { addresses, longest, ...(encoding && { encoding }), ...(sheet && { sheet }) };
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('lists')
      .values({
        ...{ id, account_id: accountId, name, columns, address_column: addressColumn },
        header: hasHeader ? JSON.stringify(first) : null,
        row_count: hasHeader ? rows - 1 : rows,
        findings: JSON.stringify(findings),
        ends_at: sql<Date>`clock_timestamp() + make_interval(secs => ${keptSeconds})`,
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

const endsAt = sql<Date>`coalesce(ends_at, created_at + make_interval(mins => ${OLD_DRAFT_MINUTES}))`;
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
  /** Without anything in the column of the addresses. Null if nobody has counted them. The others have no address there. */
  readonly blank: number | null;
}

/** @returns undefined if the batch has no list, or its list was deleted */
export async function readLeftOut(db: Db, batchId: string): Promise<LeftOut | undefined> {
  return db
    .selectFrom('lists')
    .select(['row_count as rows', 'erased_rows as erased', 'blank_rows as blank'])
    .where('batch_id', '=', batchId)
    .executeTakeFirst();
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

/** Makes it an expired draft without an owner, whose rows `forgetRows()` deletes. @returns whether it existed */
export async function deleteDraft(db: Db, accountId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('lists')
    .set(DISOWNED)
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('batch_id', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
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
  /** How many rows have nothing in the column. */
  readonly blank: number;
}

/** How many rows of a list a statement changes. */
const MOST_CHANGED = 5_000;

/** Makes a locked draft the list of a batch. */
export async function attachBatch(db: Db, id: string, start: Start): Promise<void> {
  const { batchId, name, addressColumn, header, firstRow, numbers, places, blank } = start;
  let more = 0;
  if (header) {
    const first = db.deleteFrom('list_rows').where('list_id', '=', id).where('number', '=', 0);
    more -= Number((await first.executeTakeFirst()).numDeletedRows);
  }
  if (firstRow) {
    await db
      .insertInto('list_rows')
      .values({ list_id: id, number: 0, cells: JSON.stringify(firstRow) })
      .execute();
    more += 1;
  }
  for (let first = 0; first < numbers.length; first += MOST_CHANGED) {
    await nextTurn();
    const [some, theirs] = [numbers, places].map((all) => all.slice(first, first + MOST_CHANGED));
    await sql`
      update list_rows set place = new.place
      from unnest(${some}::integer[], ${theirs}::integer[]) as new (number, place)
      where list_id = ${id} and list_rows.number = new.number
    `.execute(db);
  }
  await db
    .updateTable('lists')
    .set({
      ...{ batch_id: batchId, name, address_column: addressColumn, header: header && JSON.stringify(header) },
      ...{ row_count: sql<number>`row_count + ${more}::integer`, blank_rows: blank },
    })
    .where('id', '=', id)
    .execute();
}

/**
 * Deletes rows of an expired draft, and finally the draft. Skips those that another process is clearing. The list of a
 * batch is deleted with its results.
 *
 * @returns whether there may be more to delete
 */
export async function forgetRows(db: Db, most = MOST_DELETED): Promise<boolean> {
  // Each part is found by an index of its own.
  const old = sql`
    select id from (
      select id from lists
      where batch_id is null and ends_at < statement_timestamp() - make_interval(mins => ${MARGIN_MINUTES})
      order by ends_at limit 1 for update skip locked
    ) as draft
    union all select id from (
      select id from lists
      where batch_id is null and ends_at is null
        and created_at < statement_timestamp() - make_interval(mins => ${OLD_DRAFT_MINUTES + MARGIN_MINUTES})
      order by created_at limit 1 for update skip locked
    ) as old_draft
    union all select id from (
      select lists.id from batches join lists on batch_id = batches.id
      where emptied_at is null and expires_at <= statement_timestamp()
      order by expires_at limit 1 for update of lists skip locked
    ) as expired
    limit 1
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

/** Makes a list of each batch an expired draft without an owner, whose rows `forgetRows()` deletes. */
export async function disownListsOf(db: Db, batchIds: readonly string[]): Promise<void> {
  await db.updateTable('lists').set(DISOWNED).where('batch_id', 'in', batchIds).execute();
}

/** As `disownListsOf()`, for the drafts of an account. @returns whether there were any */
export async function disownDrafts(db: Db, accountId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('lists')
    .set(DISOWNED)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const DISOWNED = {
  ...{ account_id: null, batch_id: null },
  ...{ created_at: sql<Date>`to_timestamp(0)`, ends_at: sql<Date>`to_timestamp(0)` },
};

/** Empties rows of a list. They stay without cells and without an address, so the others keep their places. */
export async function emptyListRows(db: Db, listId: string, numbers: readonly number[]): Promise<number> {
  let emptied = 0;
  for (let first = 0; first < numbers.length; first += MOST_CHANGED) {
    const { numUpdatedRows } = await db
      .updateTable('list_rows')
      .set({ cells: '[]', place: null })
      .where('list_id', '=', listId)
      .where('number', '=', sql<number>`any(${numbers.slice(first, first + MOST_CHANGED)}::integer[])`)
      .executeTakeFirst();
    emptied += Number(numUpdatedRows);
  }
  if (emptied > 0) {
    const erased_rows = sql<number>`erased_rows + ${emptied}::integer`;
    await db.updateTable('lists').set({ erased_rows }).where('id', '=', listId).execute();
  }
  return emptied;
}

export const replaceInList = (column: 'name' | 'header' | 'findings') => (db: Db, change: TextChange) =>
  replaceText(db, 'lists', column, change);

/** How many lists there are in all accounts. */
export interface ListCounts {
  /** Those that are not yet batches. */
  readonly drafts: number;
  /** Those of batches whose addresses are kept. */
  readonly of_batches: number;
}

export async function countLists(db: Db): Promise<ListCounts> {
  const { rows } = await sql<ListCounts>`
    select count(*) filter (where batch_id is null) as drafts, count(batch_id) as of_batches from lists
  `.execute(db);
  return rows[0]!;
}
