/**
 * Takes the passwords out of the accounts. Until they are replaced, processes of the version before refuse sign-ins.
 * Whoever is signed in there goes on.
 */
import { sql } from 'kysely';
import type { SchemaMigration } from '../migration.ts';

/** How many accounts a statement changes. Each of them may wait for it. */
const CHUNK = 1_000;

export const passwordsMoved: SchemaMigration = {
  inSteps: true,
  async up(db) {
    // The trigger moves each.
    const touch = sql`
      update accounts set password_hash = password_hash where id = any(array(
        select id from accounts where password_hash <> '' and deleted_at is null limit ${CHUNK}
      ))
    `;
    while ((await touch.execute(db)).numAffectedRows! > 0n);
  },
};
