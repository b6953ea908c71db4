/** Validates the checks of the migration before, while requests go on. */
import { type Kysely, sql } from 'kysely';

const CHECKS = [
  ['batches', 'batches_stopped_early'],
  ['batches', 'batches_deleted_ended'],
  ['audit', 'audit_actor_check'],
] as const;

/** Reads the tables. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, check] of CHECKS)
    await sql`alter table ${sql.table(table)} validate constraint ${sql.ref(check)}`.execute(db);
}
