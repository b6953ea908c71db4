/** The SQL of names that may contain an address: of lists and batches, of columns, and in the audit log. */
import { type RawBuilder, sql } from 'kysely';
import { replaceSubjectName } from '../../audit/audit-store.ts';
import { holdsOneOf } from '../../database/ascii.ts';
import { replaceText, type TextChange } from '../../database/replace-text.ts';
import type { Db } from '../../database/schema.ts';
import { oldestFirst, type RowsAfter, searchInChunks } from '../../database/search-in-chunks.ts';
import { replaceInList } from '../../lists/list-store.ts';
import type { Matcher } from './match-address.ts';

/** Replaces an address. */
const ERASED = 'erased';
/** The limit of the tables. */
const MOST_CHARACTERS = 200;

/** Names are erased even while a batch runs, because verification does not need them. */
const REPLACE = {
  batch: (db: Db, change: TextChange) => replaceText(db, 'batches', 'name', change),
  list: replaceInList('name'),
  titles: replaceInList('header'),
  findings: replaceInList('findings'),
  log: replaceSubjectName,
};

export interface StoredName {
  readonly of: keyof typeof REPLACE;
  readonly id: string;
  /** A JSON text. */
  readonly name: string;
}

export type SearchedUrl = { readonly id: string; readonly name: string | null; readonly url: string };

/**
 * How many rows one statement searches. An account can have made many batches, and each is in the log. For more, the
 * planner would sort all that follow.
 */
const CHUNK = 300;

/** Names that may contain the address. Names of keys and apps are not searched, because owners choose them. */
export async function candidateNames(
  db: Db,
  accountId: string,
  ascii: readonly string[],
): Promise<StoredName[]> {
  const search = (rows: RowsAfter, namesIn: (chunk: RawBuilder<unknown>) => RawBuilder<unknown>) =>
    searchInChunks<StoredName>(db, CHUNK, rows, (chunk) => {
      const isCandidate = holdsOneOf(sql<string>`names.name`, ascii);
      return sql`select * from (${namesIn(chunk)}) as names where ${isCandidate}`;
    });
  const ofLists = (chunk: RawBuilder<unknown>) => sql`
    select 'list' as of, id, to_json(name)::text as name from ${chunk}
    union all select 'titles', id, header::text from ${chunk}
    union all select 'findings', id, findings::text from ${chunk}`;
  const ofBatches = (chunk: RawBuilder<unknown>) =>
    sql`select 'batch' as of, id, to_json(name)::text as name from ${chunk}`;
  const ofLog = (chunk: RawBuilder<unknown>) =>
    sql`select 'log' as of, id::text, to_json(subject_name)::text as name from ${chunk}`;
  return [
    ...(await search(oldestFirst('batches', accountId), ofBatches)),
    ...(await search(oldestFirst('lists', accountId), ofLists)),
    ...(await search(eventsOf(accountId), ofLog)),
  ];
}

/** Batches whose URL may contain the address, oldest first. */
export async function candidateUrls(
  db: Db,
  accountId: string,
  ascii: readonly string[],
): Promise<SearchedUrl[]> {
  const search = (chunk: RawBuilder<unknown>) => sql`
    select id, name, url from ${chunk}
    where url is not null and ${holdsOneOf(sql<string>`to_json(url)::text`, ascii)} order by created_at, id
  `;
  return searchInChunks<SearchedUrl>(db, CHUNK, oldestFirst('batches', accountId), search);
}

/** As in the index audit_of_kind. */
const eventsOf =
  (accountId: string): RowsAfter =>
  (position) =>
    sql`
    select *, json_build_array(id) as position from audit
    where account_id = ${accountId} and split_part(action, '.', 1) = 'batch'
      and (${position}::json is null or id < (${position}::json ->> 0)::bigint)
    order by id desc
  `;

/** @returns the JSON text without the address, or undefined if it has none */
export function newName({ of, name }: Pick<StoredName, 'of' | 'name'>, matcher: Matcher): string | undefined {
  const withoutAddress = (text: string) => {
    // A title with an address is usually data instead of a title.
    const isTitle = of === 'titles' && matcher.isIn(text);
    const replaced = isTitle ? ERASED : matcher.replaceInName(text, ERASED);
    return replaced === undefined ? text : [...replaced].slice(0, MOST_CHARACTERS).join('');
  };
  const renamed = JSON.stringify(mapTexts(JSON.parse(name), withoutAddress));
  return renamed === JSON.stringify(JSON.parse(name)) ? undefined : renamed;
}

/** @returns how many names were replaced. Skips names that have changed meanwhile */
export async function replaceNames(
  db: Db,
  accountId: string,
  names: readonly StoredName[],
  matcher: Matcher,
): Promise<number> {
  let replaced = 0;
  for (const { of, id, name } of names) {
    const change = { accountId, id, before: name, after: newName({ of, name }, matcher)! };
    if (await REPLACE[of](db, change)) replaced += 1;
  }
  return replaced;
}

/** The same JSON value with other texts. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}
