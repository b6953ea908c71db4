/** Drops everything that the migrations have created, and nothing else. */
import { sql } from 'kysely';
import { COPIED_TABLES, LEFT_TABLES } from './copy-database.ts';
import type { Connection } from './table-rows.ts';

/** Kysely's own. */
const MIGRATION_TABLES = ['kysely_migration', 'kysely_migration_lock'];

/** Every function that a migration has created, including functions that a later migration dropped. */
export const FUNCTIONS = [
  ...['begin_verification', 'begin_verifications', 'change_credits', 'check_pace', 'conversations_since'],
  ...['count_deleted_batch', 'count_request', 'count_requests', 'count_results', 'count_samples'],
  ...['describe_callback', 'end_callback_results', 'end_verification', 'end_verifications'],
  ...['finish_verification', 'finish_verifications', 'forget_account', 'give_session_its_person'],
  ...['give_tokens_their_person', 'is_process_alive', 'move_password', 'one_pace', 'open_conversations'],
  ...['pace_organisation', 'pace_organisations', 'pace_round', 'pace_rounds', 'queue_batch', 'queue_batches'],
  ...['queue_released', 'ready_callbacks', 'release_batch_storage', 'settle_verifications'],
  ...['start_verifications', 'sum_ledger', 'waits_seen'],
];

/** Fails if views or foreign keys of others depend on one of the tables. */
export async function dropTables(db: Connection): Promise<void> {
  const tables = [...COPIED_TABLES, ...LEFT_TABLES, ...MIGRATION_TABLES].map((name) => sql.table(name));
  await sql`drop table if exists ${sql.join(tables)}`.execute(db);
  const { rows } = await sql<{ signature: string }>`
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = current_schema()::regnamespace and proname in (${sql.join(FUNCTIONS)})
  `.execute(db);
  for (const { signature } of rows) await sql.raw(`drop function ${signature}`).execute(db);
}
