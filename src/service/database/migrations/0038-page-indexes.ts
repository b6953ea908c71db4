/** The indexes of keys, lists and grants in the order of their pages, which read only what they show. */
import { type Kysely, sql } from 'kysely';
import { buildIndexes } from '../migration.ts';

const INDEXES = buildIndexes({
  // Revoked keys are never deleted.
  keys_active: 'on keys (account_id, created_at desc, id) where revoked_at is null',
  keys_revoked: 'on keys (account_id, revoked_at desc, id) where revoked_at is not null',
  lists_oldest: 'on lists (account_id, created_at, id)',
  token_families_latest_by_account: `on token_families (account_id, issued_at desc, handle desc)
    include (client_id, access_expires_at)`,
  token_families_latest_by_app: `on token_families (client_id, issued_at desc, handle desc)
    include (account_id, access_expires_at)`,
});

export const inSteps = true;

/** Builds the indexes. Migrations only go forward. */
export async function up(db: Kysely<unknown>, isAlone: boolean): Promise<void> {
  await INDEXES.up(db, isAlone);
  // The new ones begin with the same column.
  for (const old of ['lists_of_account', 'token_families_by_app'])
    await sql.raw(`drop index ${isAlone ? '' : 'concurrently'} if exists ${old}`).execute(db);
}
