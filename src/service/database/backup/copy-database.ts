/** Copies all lasting data from one database to another, so that a service can move to another server. */
import type { Transaction } from 'kysely';
import type { Db, Schema } from '../schema.ts';
import { refuseServed, refuseTaken } from './database-use.ts';
import { continueNumbers, readRows, settleFormats, writeRows } from './table-rows.ts';

/** Every table with lasting data, after the tables that it refers to. */
export const COPIED_TABLES = [
  ...['accounts', 'persons', 'members', 'ledger', 'payments', 'credit_references', 'ledger_months'],
  ...['notices', 'keys', 'key_values', 'key_spending', 'verifications', 'proof_keys', 'renewable_results'],
  ...['visitors', 'idempotency', 'batches', 'batch_storage', 'batch_rows', 'callbacks', 'callback_tries'],
  ...['batch_progress', 'client_ids', 'apps', 'app_redirect_uris', 'authorization_codes', 'token_families'],
  ...['device_requests', 'authenticator_apps', 'passkeys', 'recovery_codes', 'invitations', 'sessions'],
  ...['identities', 'provider_sessions', 'logout_tokens', 'known_browsers', 'person_events', 'audit'],
  ...['daily_results', 'unproved_results', 'book_audit', 'key_refusals', 'lists', 'list_rows', 'list_files'],
] as const satisfies readonly (keyof Schema)[];

/** Tables that are not copied: rows of running processes, short-lived counts, and what triggers write. */
export const LEFT_TABLES = [
  ...['account_turns', 'batch_turns', 'ledger_days', 'processes', 'rates', 'network_counts', 'batch_marks'],
  ...['paces', 'conversations', 'conversation_queues', 'conversation_waits', 'domain_facts'],
  ...['guesses', 'provider_requests', 'challenge_keys', 'half_sign_ins', 'sign_in_links'],
] as const satisfies readonly (keyof Schema)[];

/** How many rows of each table were copied. */
export type Copied = Readonly<Record<(typeof COPIED_TABLES)[number], number>>;

/**
 * Copies all or nothing. Both databases have the same schema, because both were migrated by this program.
 *
 * @throws {DatabaseError} if a service uses the source, because its writes would be lost, or if the target already has
 * accounts
 */
export async function copyDatabase(source: Db, target: Db): Promise<Copied> {
  return source
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (from) => {
      await refuseServed(from, 'source');
      return target.transaction().execute((to) => copyInto(from, to));
    });
}

async function copyInto(from: Transaction<Schema>, to: Transaction<Schema>): Promise<Copied> {
  for (const db of [from, to]) await settleFormats(db);
  await refuseTaken(to);
  // A service that has run on the target has made its own key, which would sign instead of the copied ones.
  await to.deleteFrom('proof_keys').execute();
  const copied: Record<string, number> = {};
  for (const table of COPIED_TABLES) copied[table] = await copyTable(from, to, table);
  await continueNumbers(to);
  return copied as Copied;
}

async function copyTable(from: Transaction<Schema>, to: Transaction<Schema>, table: string): Promise<number> {
  let count = 0;
  for await (const rows of readRows(from, table)) {
    await writeRows(to, table, rows);
    count += rows.length;
  }
  return count;
}
