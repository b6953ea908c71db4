/** All SQL of lists: drafts, which are deleted after `durations.review`, and the uploaded columns of batches. */
import { type RawBuilder, sql } from 'kysely';
import { nextTurn } from '../../shared/steps.ts';
import { makeId } from '../core/random-id.ts';
import { MOST_DELETED } from '../database/delete-some.ts';
import { replaceText, type TextChange } from '../database/replace-text.ts';
import type { Db } from '../database/schema.ts';
import { MAX_ROWS_CHARACTERS } from './reading/list-limits.ts';
import type { ListFacts } from './reading/read-list.ts';
import type { FileFacts, Portion } from './reading/reader-protocol.ts';
import type { WhyAlone } from './workbook/original.ts';

/** How long a draft is kept for its start that an earlier version has stored. */
const OLD_DRAFT_MINUTES = 60;
/** The margin keeps a draft whole that is started at the last moment. */
const MARGIN_MINUTES = 5;
/** For each account. */
export const MOST_DRAFTS = 5;
/** An account whose drafts have as many bytes can add no other one. So they have at most twice as many. */
export const MOST_DRAFT_BYTES = MAX_ROWS_CHARACTERS;

/**
 * The reader's findings about a list. Lists of earlier versions have only `encoding`, `sheet`, `addresses` and perhaps
 * `longest`.
 */
export type Findings = Pick<ListFacts, 'addresses'> &
  Partial<Omit<ListFacts, 'addresses' | 'columns' | 'header' | 'addressColumn'>> & {
    /** The rows without an address in the batch, if a row may have several. */
    readonly outside?: number;
  };

export interface NewDrafts {
  readonly accountId: string;
  /** The id of the person who uploads it. Null for one of before there were persons. */
  readonly madeBy: string | null;
  readonly name: string;
  readonly facts: FileFacts;
  /** How long it is kept for its start, in seconds. */
  readonly keptSeconds: number;
  /** Throws if beside these drafts of the account, in all processes, there is no room for this one. */
  readonly refuseFull?: (others: readonly List[]) => void;
  /** The draft of the same file in another encoding, which this one replaces. */
  readonly replaces?: Pick<List, 'id' | 'ends_at'>;
}

/** Ends the transaction: the draft that is to be replaced, or its file, is gone meanwhile. */
export class NoDraftError extends Error {}

/**
 * Stores each table of a file as a draft, or nothing. All rows are stored, the titles and what stands above them
 * included, so that the owner can choose other titles.
 *
 * @param file its bytes, which are kept while their encoding can be chosen, or for a download with the other sheets
 * @returns the draft of the table that is probably meant
 * @throws {NoDraftError} if the draft to be replaced, or its file, no longer exists
 */
export async function insertDrafts(
  db: Db,
  { accountId, madeBy, name, facts: { tables, chosen }, keptSeconds, refuseFull, replaces }: NewDrafts,
  portions: AsyncIterable<Portion>,
  file?: AsyncIterable<Uint8Array>,
): Promise<string> {
  const ids = tables.map(() => makeId());
  const upload_id = tables.length > 1 ? ids[chosen]! : null;
  await db.transaction().execute(async (transaction) => {
    // One after the other, because their order is that of their creation.
    for (const [index, facts] of tables.entries()) {
      const { columns, header, addressColumn, ...findings } = facts;
      await transaction
        .insertInto('lists')
        .values({
          ...{ id: ids[index]!, account_id: accountId, name, columns, address_column: addressColumn },
          made_by: madeBy,
          header: header && JSON.stringify(header),
          row_count: Math.max(1, rowsBelow(facts.rows, facts.titles)),
          findings: JSON.stringify(findings satisfies Findings),
          upload_id,
          ends_at: replaces?.ends_at ?? sql<Date>`clock_timestamp() + make_interval(secs => ${keptSeconds})`,
        })
        .execute();
    }
    const bytes = tables.map(() => 0);
    for await (const { table, from, json, numbers, fileRows, hidden } of portions) {
      bytes[table]! += Buffer.byteLength(json) + Buffer.byteLength(numbers ?? '');
      await sql`
        insert into list_rows (list_id, number, cells, numbers, is_hidden, file_row)
        select ${ids[table]!}, place, cells, case when json_typeof(numbers) = 'array' then numbers end,
          case when hidden.number is not null then true end, nullif(file_row, place + 1)
        from (
          select ${from}::integer + ordinality - 1 as place, cells, numbers, file_row
          from rows from (
            json_array_elements(${json}::json), json_array_elements(${numbers}::json), unnest(${fileRows}::integer[])
          ) with ordinality as each (cells, numbers, file_row, ordinality)
        ) as row left join unnest(${hidden}::integer[]) as hidden (number) on number = place
      `.execute(transaction);
    }
    for (const [index, id] of ids.entries())
      await transaction.updateTable('lists').set({ bytes: bytes[index]! }).where('id', '=', id).execute();
    if (replaces) await takeOver(transaction, accountId, replaces.id, ids[chosen]!);
    else if (file && (tables[chosen]!.encodings || tables.some(({ original }) => original)))
      await insertFile(transaction, ids[chosen]!, file);
    if (!refuseFull) return;
    // At the end, because the lock holds up all that changes the account's credits.
    const account = transaction.selectFrom('accounts').select('id').where('id', '=', accountId);
    await account.forNoKeyUpdate().execute();
    refuseFull((await draftsOf(transaction, accountId)).filter(({ id }) => id !== ids[chosen]));
  });
  return ids[chosen]!;
}

async function insertFile(db: Db, list_id: string, file: AsyncIterable<Uint8Array>): Promise<void> {
  let number = 0;
  for await (const piece of file) {
    const bytes = Buffer.from(piece);
    await db.insertInto('list_files').values({ list_id, number, bytes }).execute();
    number += 1;
  }
}

/** Gives the file of a draft to another one, and deletes the draft. */
async function takeOver(db: Db, accountId: string, before: string, id: string): Promise<void> {
  if (!(await deleteDraft(db, accountId, { id: before, upload_id: null }))) throw new NoDraftError();
  const { numUpdatedRows } = await db
    .updateTable('list_files')
    .set({ list_id: id })
    .where('list_id', '=', before)
    .executeTakeFirst();
  // Its owner has erased an address, which the file has, too.
  if (numUpdatedRows === 0n) throw new NoDraftError();
}

/** The bytes of a list's file, in pieces. None if they are not kept. */
export async function* readFileOf(db: Db, id: string): AsyncGenerator<Buffer> {
  for (let number = 0; ; number += 1) {
    const piece = await readPieceOf(db, id, number);
    if (!piece) return;
    yield piece;
  }
}

/** A piece of a list's file. Each but the last has `FILE_PIECE_BYTES`. Undefined if the file is not kept. */
export async function readPieceOf(db: Db, id: string, number: number): Promise<Buffer | undefined> {
  const piece = await db
    .selectFrom('list_files')
    .select('bytes')
    .where('list_id', '=', id)
    .where('number', '=', number)
    .executeTakeFirst();
  return piece?.bytes;
}

/**
 * Deletes the bytes of a list's file, and the rows that show its encodings. Of a workbook, the sheets share it: none of
 * them can have the others in its download any longer.
 *
 * @param alone why that is
 */
export async function forgetFile(db: Db, id: string, alone: WhyAlone = 'erased'): Promise<void> {
  const list = await db.selectFrom('lists').select('upload_id').where('id', '=', id).executeTakeFirst();
  const holder = list?.upload_id ?? id;
  const gone = await db.deleteFrom('list_files').where('list_id', '=', holder).executeTakeFirst();
  if (gone.numDeletedRows === 0n) return;
  const lists = await db
    .selectFrom('lists')
    .select(['id', 'findings'])
    .where(sql<boolean>`(id = ${holder} or upload_id = ${holder})`)
    .execute();
  for (const each of lists) {
    const { encodings: _encodings, original, ...rest } = each.findings as Findings;
    const findings = JSON.stringify((original ? { ...rest, alone } : rest) satisfies Findings);
    await db.updateTable('lists').set({ findings }).where('id', '=', each.id).execute();
  }
}

/** Deletes the files of those lists whose encoding is a guess. */
export async function forgetGuessedFiles(db: Db, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const list = await db.selectFrom('lists').select('findings').where('id', '=', id).executeTakeFirst();
    if ((list?.findings as Findings | undefined)?.encodings) await forgetFile(db, id);
  }
}

/** Its list is locked, so nothing else changes the findings. */
async function noteOutside(db: Db, id: string, outside: number): Promise<void> {
  const list = await db.selectFrom('lists').select('findings').where('id', '=', id).executeTakeFirst();
  const findings = JSON.stringify({ ...(list!.findings as Findings), outside } satisfies Findings);
  await db.updateTable('lists').set({ findings }).where('id', '=', id).execute();
}

/** Gives the kept workbook to the sheet that has become a batch. The file of a text is needed no longer. */
async function passFile(
  db: Db,
  { id, upload_id, findings }: Pick<List, 'id' | 'upload_id' | 'findings'>,
  alone: WhyAlone | undefined,
): Promise<void> {
  if (!findings.original || alone) return forgetFile(db, id, alone);
  if (upload_id !== null && upload_id !== id)
    await db.updateTable('list_files').set({ list_id: id }).where('list_id', '=', upload_id).execute();
}

/** The lists of an account whose workbook is kept, each with the id of the list that has its bytes. */
export interface KeptWorkbook {
  readonly list_id: string;
  readonly name: string;
  readonly batch_id: string | null;
  readonly bytes: number;
}

export async function keptWorkbooks(db: Db, accountId: string): Promise<KeptWorkbook[]> {
  const { rows } = await sql<KeptWorkbook>`
    select distinct on (held.id) held.id as list_id, held.name, held.batch_id,
      (lists.findings -> 'original' ->> 'bytes')::integer as bytes
    from lists join lists as held on held.id = coalesce(lists.upload_id, lists.id)
    where lists.account_id = ${accountId} and lists.findings -> 'original' is not null
    order by held.id
  `.execute(db);
  return rows;
}

/** @param titles the place of the row with the titles */
export const rowsBelow = (rows: number, titles: number | null): number => rows - (titles ?? -1) - 1;

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
  /** Shared by the sheets of one workbook, and the id of the one that is probably meant. Null for a single table. */
  readonly upload_id: string | null;
  /** The batch that verifies a sample of it. Null without one. */
  readonly sample_id: string | null;
  /** The id of the person who has uploaded it. Null for one of before there were persons. */
  readonly made_by: string | null;
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
    .select(['address_column', 'findings', 'upload_id', 'sample_id', 'made_by'])
    .select(endsAt.as('ends_at'))
    .where('account_id', '=', accountId)
    .where(isThere)
    .$narrowType<{ findings: Findings }>();

export const findList = (db: Db, accountId: string, id: string): Promise<List | undefined> =>
  listsOf(db, accountId).where('id', '=', id).executeTakeFirst();

/** Newest first. Of a workbook, the sheet that is probably meant, with the size of all. */
export async function draftsOf(db: Db, accountId: string): Promise<List[]> {
  const drafts = await listsOf(db, accountId)
    .where('batch_id', 'is', null)
    .orderBy('created_at', 'desc')
    .execute();
  const isOf = (id: string) => (draft: List) => (draft.upload_id ?? draft.id) === id;
  const bytesOf = (sheets: readonly List[]) =>
    sheets.reduce((sum, { bytes }) => sum + bytes, 0) +
    Math.max(0, ...sheets.map(({ findings }) => findings.original?.bytes ?? 0));
  return drafts
    .filter(({ id, upload_id }) => upload_id === null || upload_id === id)
    .map((draft) => ({ ...draft, bytes: bytesOf(drafts.filter(isOf(draft.id))) }));
}

/** The ids of all drafts of an account, expired ones included. */
export async function draftIdsOf(db: Db, accountId: string): Promise<string[]> {
  const drafts = await db
    .selectFrom('lists')
    .select('id')
    .where('account_id', '=', accountId)
    .where('batch_id', 'is', null)
    .execute();
  return drafts.map(({ id }) => id);
}

/** The sheets of a workbook, in its order, or the list alone. */
export async function sheetsOf(
  db: Db,
  accountId: string,
  list: Pick<List, 'id' | 'upload_id'>,
): Promise<List[]> {
  return listsOf(db, accountId)
    .where('batch_id', 'is', null)
    .where(sql<boolean>`(id = ${list.id} or upload_id = ${list.upload_id})`)
    .orderBy('created_at')
    .execute();
}

/**
 * Stores the titles of a draft as a row, too, if the version before has made it, which may run beside this one for a
 * while.
 */
export async function storeTitlesOfOld(db: Db, { id, header, findings }: List): Promise<void> {
  if (header === null || findings.titles !== undefined) return;
  await sql`
    insert into list_rows (list_id, number, cells) values (${id}, 0, ${JSON.stringify(header)}::json)
    on conflict do nothing
  `.execute(db);
}

/** The limits of an account's batches. */
export async function readLimits(db: Db, accountId: string) {
  return db
    .selectFrom('accounts')
    .select(['available_credits as credits', 'batch_size as batchSize'])
    .where('id', '=', accountId)
    .executeTakeFirst();
}

/** The cells of a row in the columns of the addresses. */
export interface NumberedCells {
  readonly number: number;
  /** Null where the row is shorter. */
  readonly cells: readonly (string | null)[];
  /** Whether the spreadsheet hides the row. */
  readonly is_hidden: boolean;
}

/** Some columns of some rows, in order. @param after the number of a row */
export async function readColumns(
  db: Db,
  id: string,
  columns: readonly number[],
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<NumberedCells[]> {
  // As JSON, because a cell can have characters that a text of PostgreSQL cannot.
  const cells = columns.map((column) => sql`cells -> ${column}::integer`);
  return db
    .selectFrom('list_rows')
    .select(['number', sql<(string | null)[]>`json_build_array(${sql.join(cells)})`.as('cells')])
    .select(sql<boolean>`is_hidden is not null`.as('is_hidden'))
    .where('list_id', '=', id)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();
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
  /** How many columns have addresses, if a row may have several addresses. Null if it has one at most. */
  readonly columns: number | null;
  /** The rows without an address in the batch, if a row may have several. Null if nobody has counted them. */
  readonly outside: number | null;
  /** Whether it was uploaded as a workbook. */
  readonly isWorkbook: boolean;
}

/** @returns undefined if the batch has no list, or if its list was deleted */
export async function readLeftOut(db: Db, batchId: string): Promise<LeftOut | undefined> {
  return db
    .selectFrom('lists')
    .select(['row_count as rows', 'erased_rows as erased', 'blank_rows as blank'])
    .select(sql<number | null>`cardinality(address_columns)`.as('columns'))
    .select(sql<number | null>`(findings ->> 'outside')::integer`.as('outside'))
    .select(sql<boolean>`findings -> 'sheet' is not null`.as('isWorkbook'))
    .where('batch_id', '=', batchId)
    .executeTakeFirst();
}

/** The number of a row in the file, from 1. An earlier version has not counted its empty rows. */
export const fileRow = sql<number>`coalesce(file_row, number + 1)`;

/**
 * The first row of each address in the file, from 1. The titles and empty rows count as rows.
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
    select each.place, min(${fileRow}) as row
    from list_rows, unnest(coalesce(places, array[place])) as each (place)
    where list_id = ${list.id} and each.place = any(${places}::integer[]) group by each.place
  `.execute(db);
  return new Map(rows.map(({ place, row }) => [place, row]));
}

/**
 * Makes it and the other sheets of its workbook expired drafts without an owner, whose rows `forgetRows()` deletes.
 *
 * @returns whether it existed
 */
export async function deleteDraft(
  db: Db,
  accountId: string,
  { id, upload_id }: Pick<List, 'id' | 'upload_id'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('lists')
    .set(DISOWNED)
    .where(sql<boolean>`(id = ${id} or upload_id = ${upload_id})`)
    .where('account_id', '=', accountId)
    .where('batch_id', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Locks a list and the other sheets of its workbook until the transaction ends, by id, so that two starts do not wait for
 * each other. @returns undefined if the list no longer exists
 */
export async function lockList(db: Db, accountId: string, { id, upload_id }: Pick<List, 'id' | 'upload_id'>) {
  const locked = await listsOf(db, accountId)
    .clearSelect()
    .select(['id', 'batch_id', 'sample_id'])
    .where(sql<boolean>`(id = ${id} or upload_id = ${upload_id})`)
    .orderBy('id')
    .forUpdate()
    .execute();
  return locked.find((list) => list.id === id);
}

/** Notes the batch that verifies a sample of a locked draft. */
export async function setSample(db: Db, id: string, sample_id: string): Promise<void> {
  await db.updateTable('lists').set({ sample_id }).where('id', '=', id).execute();
}

/** How the rows of a list map to its batch. */
export interface Start {
  readonly batchId: string;
  readonly name: string;
  /** The columns of the addresses. */
  readonly columns: readonly number[];
  readonly header: readonly string[] | null;
  /** The place of the row with the titles. Null if every row holds data. */
  readonly titles: number | null;
  /** How many rows there are below the titles. */
  readonly rows: number;
  readonly numbers: readonly number[];
  /** The first address of each. */
  readonly places: readonly number[];
  /**
   * All addresses of each, as arrays of PostgreSQL: those of each column. Undefined if a row has one address at most.
   */
  readonly several: readonly string[] | undefined;
  /** How many rows have nothing in the column. */
  readonly blank: number;
  /** Why the downloads have no other sheet of the workbook, whose file then is not kept. @default they have them */
  readonly alone?: WhyAlone | undefined;
}

/** How many rows of a list a statement changes. */
const MOST_CHANGED = 5_000;

/** Makes a locked draft the list of a batch. Its titles and what stands above them are rows no longer. */
export async function attachBatch(
  db: Db,
  list: Pick<List, 'id' | 'upload_id' | 'findings'>,
  start: Start,
): Promise<void> {
  const { id, upload_id: uploadId } = list;
  const { batchId, name, columns, header, titles, rows, numbers, places, several, blank } = start;
  if (titles !== null) {
    const above = db.deleteFrom('list_rows').where('list_id', '=', id).where('number', '<=', titles);
    await above.execute();
  }
  for (let first = 0; first < numbers.length; first += MOST_CHANGED) {
    await nextTurn();
    const [some, theirs] = [numbers, places].map((all) => all.slice(first, first + MOST_CHANGED));
    const all = several?.slice(first, first + MOST_CHANGED) ?? [];
    await sql`
      update list_rows set place = new.place, places = new.places::integer[]
      from unnest(${some}::integer[], ${theirs}::integer[], ${all}::text[]) as new (number, place, places)
      where list_id = ${id} and list_rows.number = new.number
    `.execute(db);
  }
  await passFile(db, list, start.alone);
  if (several) await noteOutside(db, id, rows - numbers.length);
  await db
    .updateTable('lists')
    .set({
      ...{ batch_id: batchId, name, address_column: columns[0]!, header: header && JSON.stringify(header) },
      address_columns: several ? [...columns] : null,
      ...{ row_count: rows, blank_rows: blank, upload_id: null },
    })
    .where('id', '=', id)
    .execute();
  if (uploadId === null) return;
  await db
    .updateTable('lists')
    .set(DISOWNED)
    .where('upload_id', '=', uploadId)
    .where('batch_id', 'is', null)
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
      .set({ cells: '[]', numbers: null, place: null, places: null })
      .where('list_id', '=', listId)
      .where('number', '=', sql<number>`any(${numbers.slice(first, first + MOST_CHANGED)}::integer[])`)
      .executeTakeFirst();
    emptied += Number(numUpdatedRows);
  }
  if (emptied > 0) {
    // The file has the rows, too.
    await forgetFile(db, listId);
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
