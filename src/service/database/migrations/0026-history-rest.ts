/** More indexes for what is rare among what has grown for years. */
import { type Kysely, sql } from 'kysely';
import { buildIndexes } from '../migration.ts';

/** A page reads the sums of all tokens of an account or of an app, and never the tokens themselves. */
const OF_TOKENS = 'include (access_expires_at, created_at, issued_at)';

const INDEXES = buildIndexes({
  // Counts the retries of each batch.
  batch_rows_later: 'on batch_rows (batch_id) where due_at is not null',
  // Those whose results are kept.
  batches_kept: 'on batches (account_id, expires_at) include (completed_at) where emptied_at is null',
  // Few processes die over a callback.
  callbacks_suspect: 'on callbacks (due_at) where deaths > 0 and due_at is not null',
  // About one of a hundred, by the last digits of its time, which no client chooses.
  idempotency_test_samples: `on idempotency (account_id, created_at) where mode = 'test' and status is not null
    and extract(microseconds from created_at at time zone 'UTC')::integer % 100 = 0`,
  // All but verifications and their refunds.
  ledger_rare: `on ledger (account_id, why, id desc)
    where why in ('top-up', 'billing', 'batch', 'batch-refund')`,
  token_families_by_account: `on token_families (account_id, client_id) ${OF_TOKENS}`,
  token_families_by_app: `on token_families (client_id, account_id) ${OF_TOKENS}`,
});

export const inSteps = true;

/** Builds the indexes. Migrations only go forward. */
export async function up(db: Kysely<unknown>, isAlone: boolean): Promise<void> {
  await INDEXES.up(db, isAlone);
  // The new ones begin with the same columns.
  for (const old of ['token_families_of_account', 'token_families_of_app'])
    await sql.raw(`drop index ${isAlone ? '' : 'concurrently'} if exists ${old}`).execute(db);
}
