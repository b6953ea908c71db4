/**
 * The indexes for what is rare among what has grown for years. With each comes the statement of a store that names it.
 * It also describes the earlier callbacks, in chunks.
 */
import { type Kysely, sql } from 'kysely';
import { buildIndexes } from '../migration.ts';

const INDEXES = buildIndexes({
  // Few accounts have a former secret.
  accounts_former_secret: `on accounts (former_callback_secret_until) where former_callback_secret_until is not null`,
  // The type of an event is the first word of its action.
  audit_of_kind: `on audit (account_id, split_part(action, '.', 1), id desc)`,
  // In the order of the dashboard.
  batches_latest: `on batches (account_id, created_at desc, id desc)`,
  batches_latest_open: `on batches (account_id, created_at desc, id desc) where completed_at is null`,
  // Those that have failed, and whose owner is still told.
  callbacks_troubled: `on callbacks (owner_id, tried_at desc, batch_id)
    where delivered_at is null and tried_at is not null and has_results`,
  // Those that can be sent, by account and receiver. The others become ready when they are due.
  callbacks_ready: `on callbacks (owner_id, receiver, due_at) where is_ready and due_at is not null`,
  callbacks_unready: `on callbacks (due_at) where due_at is not null and not is_ready`,
  // Each retry has a latest time.
  callbacks_retries: `on callbacks (made_at) where is_retry and due_at is not null`,
  daily_results_by_day: `on daily_results (day)`,
  idempotency_of_test: `on idempotency (account_id, created_at) where mode = 'test' and status is not null`,
});

/** How many batches a statement looks at. */
const CHUNK = 5_000;

export const inSteps = true;

/** Builds the indexes. Migrations only go forward. */
export async function up(db: Kysely<unknown>, isAlone: boolean): Promise<void> {
  let after = '';
  for (;;) {
    const { rows } = await sql<{ last: string | null }>`
      with chunk as materialized (
        select id, account_id, url, completed_at, emptied_at from batches
        where id > ${after} order by id limit ${CHUNK}
      ), described as (
        update callbacks set owner_id = chunk.account_id, made_at = chunk.completed_at,
          receiver = left(encode(sha256(convert_to(chunk.account_id || ' ' || url, 'UTF8')), 'hex'), 16),
          has_results = chunk.emptied_at is null
        from chunk where batch_id = chunk.id and callbacks.owner_id is null
      )
      select max(id) as last from chunk
    `.execute(db);
    if (rows[0]!.last === null) break;
    after = rows[0]!.last;
  }
  await INDEXES.up(db, isAlone);
  // The one of the dashboard begins with the same column.
  await sql.raw(`drop index ${isAlone ? '' : 'concurrently'} if exists batches_of_account`).execute(db);
}
