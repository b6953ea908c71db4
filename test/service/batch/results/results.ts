/** Batches with these results, and with the lists that they were made from. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Reason } from '../../../../src/protocol/result.ts';
import { STATE_OF_REASON } from '../../../../src/protocol/state-of-reason.ts';
import { completeBatch, storeResults } from '../../../../src/service/batch/batch-store.ts';
import { type BatchResult, toBatchResult } from '../../../../src/service/batch/result-fields.ts';
import type { Db } from '../../../../src/service/database/schema.ts';
import { makeAccount } from '../../support/account.ts';
import { storeBatch } from '../../support/batch.ts';
import { DEPS } from '../../support/deps.ts';
import { resultOf } from '../../support/result.ts';

export interface MadeAddress extends Partial<BatchResult> {
  readonly email: string;
  readonly duplicates?: number;
}

export interface MadeOptions {
  readonly accountId?: string;
  readonly responseFields?: readonly string[];
  readonly mode?: 'test' | 'live';
  readonly url?: string;
  readonly name?: string;
  /** The last so many addresses have no result. @default 0 */
  readonly open?: number;
}

export interface Made {
  readonly id: string;
  readonly accountId: string;
}

/** A batch with these results. Without open addresses, it is completed. */
export async function makeResults(
  db: Db,
  made: readonly MadeAddress[],
  options: MadeOptions = {},
): Promise<Made> {
  const { responseFields = null, mode = 'test', url = null, name, open = 0 } = options;
  const accountId = options.accountId ?? (await makeAccount(db));
  const entries = made.map(({ email, duplicates = 0 }) => ({ address: email, duplicates }));
  const id = await storeBatch(db, accountId, entries, { mode, responseFields, url });
  if (name !== undefined) await db.updateTable('batches').set({ name }).where('id', '=', id).execute();
  const results = made
    .slice(0, made.length - open)
    .map(({ duplicates: _, ...changes }, place) => ({ place, result: withState(changes) }));
  await storeResults(db, id, results);
  if (open === 0) await completeBatch(db, id, DEPS.settings.durations);
  return { id, accountId };
}

function withState(changes: MadeAddress): BatchResult {
  const { reason = 'accepted_email' } = changes;
  return { ...toBatchResult(resultOf(changes.email)), state: STATE_OF_REASON[reason as Reason], ...changes };
}

export interface ListRow {
  readonly cells: readonly string[];
  readonly place: number | null;
}

/** The list that a batch was made from. */
export async function makeList(
  db: Db,
  { id: batchId, accountId }: Made,
  header: readonly string[] | null,
  rows: readonly ListRow[],
): Promise<string> {
  const id = randomBytes(12).toString('hex');
  const columns = Math.max(header?.length ?? 0, ...rows.map(({ cells }) => cells.length));
  const blank_rows = rows.filter(({ cells, place }) => place === null && !cells[0]?.trim()).length;
  await db
    .insertInto('lists')
    .values({
      ...{ id, account_id: accountId, batch_id: batchId, name: 'customers.csv', columns, address_column: 0 },
      ...{ header: header && JSON.stringify(header), row_count: rows.length, blank_rows },
    })
    .execute();
  await sql`
    insert into list_rows (list_id, number, cells, place)
    select ${id}, number - 1, cells, place
    from rows from (
      json_array_elements(${JSON.stringify(rows.map(({ cells }) => cells))}::json),
      unnest(${rows.map(({ place }) => place)}::integer[])
    ) with ordinality as row (cells, place, number)
  `.execute(db);
  return id;
}

/** Ends the time of the results. */
export async function expire(db: Db, id: string): Promise<void> {
  await sql`
    update batches set expires_at = clock_timestamp() - interval '1 second',
      completed_at = completed_at - interval '1 day' where id = ${id}
  `.execute(db);
}
