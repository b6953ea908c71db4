/**
 * Finds an equal verification. Both indexes with the question do so, whichever of them PostgreSQL prefers. The one of the
 * account alone, which has all its verifications, goes.
 */
import { type Kysely, sql } from 'kysely';
import { buildIndexes } from '../migration.ts';

const INDEX = buildIndexes({ verifications_of_question: 'on verifications (account_id, question)' });

export const inSteps = true;

export async function up(db: Kysely<unknown>, isAlone: boolean): Promise<void> {
  await INDEX.up(db, isAlone);
  await sql.raw(`drop index ${isAlone ? '' : 'concurrently'} if exists verifications_of_account`).execute(db);
}
