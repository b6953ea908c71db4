/** Replaces a text in a row, for the owner of its table. */
import { sql } from 'kysely';
import type { Db, Schema } from './schema.ts';

/** Both texts are in JSON. */
export interface TextChange {
  readonly accountId: string;
  readonly id: string;
  readonly before: string;
  readonly after: string;
}

/** @param column a text or JSON @returns whether the text was replaced. False if it has changed meanwhile */
export async function replaceText<Table extends 'batches' | 'lists' | 'audit'>(
  db: Db,
  table: Table,
  column: keyof Schema[Table] & string,
  { accountId, id, before, after }: TextChange,
): Promise<boolean> {
  const value = JSON.parse(after);
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${typeof value === 'string' ? value : sql`${after}::json`}
    where account_id = ${accountId} and id = ${id} and to_json(${sql.ref(column)})::text = ${before}
  `.execute(db);
  return numAffectedRows === 1n;
}
