/** `status`: which database is in use, and its schema. */
import { migrationsOf } from '../../service/database/migrate.ts';
import { readServerVersion } from '../../service/database/server-version.ts';
import { defineCommand } from '../command.ts';

export const status = defineCommand({
  words: ['status'],
  description: 'Shows the schema and the database, without its password.',
  flags: {},
  example: 'status',
  async run({ db, where }) {
    const version = await readServerVersion(db);
    const schema = (await migrationsOf(db)).at(-1) ?? null;
    return { schema, jobs: {}, database: { version, where } };
  },
});
