/** Searches many rows of an account, so few in a statement that none takes long. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './schema.ts';

/**
 * Selects the rows after a position, with their own as `position`: JSON, by which the next statement finds the rows after
 * it. The first position is null.
 */
export type RowsAfter = (position: string | null) => RawBuilder<unknown>;

/** The batches or lists of an account, oldest first, as in the indexes batches_latest and lists_oldest. */
export const oldestFirst =
  (table: 'batches' | 'lists', accountId: string): RowsAfter =>
  (position) =>
    sql`
    select *, json_build_array(created_at, id) as position from ${sql.table(table)}
    where account_id = ${accountId} and (${position}::json is null
      or (created_at, id) > ((${position}::json ->> 0)::timestamptz, ${position}::json ->> 1))
    order by created_at, id
  `;

interface Chunk<Row> {
  readonly rows: readonly { readonly found: readonly Row[]; readonly last: string | null }[];
}

/**
 * @param size how many rows are searched at once @param search selects from a chunk. Times of its rows are texts
 */
export async function searchInChunks<Row>(
  db: Db,
  size: number,
  rowsAfter: RowsAfter,
  search: (chunk: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<Row[]> {
  const found: Row[] = [];
  let position: string | null = null;
  do {
    const { rows }: Chunk<Row> = await sql<Chunk<Row>['rows'][number]>`
      with chunk as materialized (${rowsAfter(position)} limit ${size})
      select (select coalesce(json_agg(found), '[]') from (${search(sql`chunk`)}) as found) as found,
        -- Null if there is nothing after it.
        (select position::text from chunk offset ${size - 1}) as last
    `.execute(db);
    found.push(...rows[0]!.found);
    position = rows[0]!.last;
  } while (position !== null);
  return found;
}
