/** What a migration is, and what helps to write one that holds up no request. */
import { type Kysely, sql } from 'kysely';

/** One step of the schema. It only goes forward, and the version before works with what it leaves. */
export interface SchemaMigration {
  /**
   * @param db a transaction, which also records the migration and waits 2 seconds for each lock. After that, the
   * migrator rolls it back and tries again
   * @param isAlone whether no request can use the tables: the database is new, or a backup is restored into it
   */
  up(db: Kysely<unknown>, isAlone: boolean): Promise<void>;
  /**
   * Whether it commits its steps one by one, because it builds indexes beside requests or changes many rows in chunks.
   * It runs again from its start after an interruption, so each step must be possible twice.
   */
  readonly inSteps?: boolean;
}

/**
 * A migration that builds indexes of large tables while requests read and write them. What an interrupted build has left
 * is dropped, and built again.
 *
 * @param indexes by its name, what follows the name in `create index`, such as `on ledger (account_id, id)`. If it begins
 * with `unique`, the index is unique
 */
export function buildIndexes(indexes: Readonly<Record<string, string>>): SchemaMigration {
  return {
    inSteps: true,
    async up(db, isAlone) {
      for (const [name, what] of Object.entries(indexes)) await buildIndex(db, name, what, isAlone);
    },
  };
}

async function buildIndex(db: Kysely<unknown>, name: string, what: string, isAlone: boolean): Promise<void> {
  const { rows } = await sql<{ isValid: boolean }>`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${name})
  `.execute(db);
  if (rows[0]?.isValid) return;
  const concurrently = isAlone ? '' : 'concurrently';
  if (rows[0]) await sql.raw(`drop index ${concurrently} ${name}`).execute(db);
  const [, unique = '', target] = /^(unique )?(.+)$/s.exec(what)!;
  await sql.raw(`create ${unique}index ${concurrently} ${name} ${target}`).execute(db);
}

/**
 * Locks the tables that a migration changes, if they are several. It never waits for a table while it holds another:
 * a request that holds that one and waits for this would be the victim of the deadlock. It looks for a second, while such
 * requests wait, and then the migrator tries again.
 */
export async function lockTables(db: Kysely<unknown>, first: string, ...others: string[]): Promise<void> {
  await sql`lock table ${sql.table(first)} in access exclusive mode`.execute(db);
  for (const table of others) {
    await sql`
      do $$ begin
        for look in 1..20 loop
          begin
            lock table ${sql.table(table)} in access exclusive mode nowait;
            return;
          exception when lock_not_available then
            perform pg_sleep(0.05);
          end;
        end loop;
        raise lock_not_available;
      end $$
    `.execute(db);
  }
}
