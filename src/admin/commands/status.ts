/** `status`: which database is in use, and its schema. */
import { sql } from 'kysely';
import { migrationsOf } from '../../service/database/migrate.ts';
import { defineCommand } from '../command.ts';

export const status = defineCommand({
  words: ['status'],
  description: 'Shows the schema and the database, without its password.',
  flags: {},
  example: 'status',
  async run({ db, where }) {
    const { rows } = await sql<{ version: string }>`
      select current_setting('server_version') as version
    `.execute(db);
    const schema = (await migrationsOf(db)).at(-1) ?? null;
    return { schema, jobs: {}, database: { version: rows[0]!.version, where } };
  },
});
