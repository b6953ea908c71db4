/** Finds the conversations of an organisation since the oldest one began. */
import { type Kysely, sql } from 'kysely';
import { buildIndexes, type SchemaMigration } from '../migration.ts';

const built = buildIndexes({ conversations_by_age: 'on conversations (organisation, begun_at)' });

export const conversationsByAge: SchemaMigration = {
  ...built,
  async up(db: Kysely<unknown>, isAlone: boolean) {
    await built.up(db, isAlone);
    await sql
      .raw(`drop index ${isAlone ? '' : 'concurrently'} if exists conversations_of_organisation`)
      .execute(db);
  },
};
