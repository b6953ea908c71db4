/** `status`: the database, its schema, and the number of jobs. */
import { migrationsOf } from '../../service/database/migrate.ts';
import { readServerVersion } from '../../service/database/server-version.ts';
import { readOverview, totalsOf } from '../../service/overview/overview.ts';
import { defineCommand } from '../command.ts';

export const status = defineCommand({
  words: ['status'],
  description:
    'Shows the schema, how many jobs wait, run and have failed, and the database without its password. The command jobs shows each of them.',
  flags: {},
  example: 'status',
  async run({ db, where }) {
    const version = await readServerVersion(db);
    const schema = (await migrationsOf(db)).at(-1) ?? null;
    return { schema, jobs: totalsOf(await readOverview(db)), database: { version, where } };
  },
});
