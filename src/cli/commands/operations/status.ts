/** `status`: the database, its schema, and the number of jobs. */
import type { Db } from '../../../service/database/database.ts';
import { migrationsOf, sayOutdated } from '../../../service/database/migrate.ts';
import { readServerVersion } from '../../../service/database/server-version.ts';
import { readOverview, totalsOf } from '../../../service/operations/overview.ts';
import { defineCommand } from '../../command.ts';

/** SQLSTATE of a missing table, column and function. */
const LACKING = new Set(['42P01', '42703', '42883']);

export const status = defineCommand({
  words: ['status'],
  description:
    'Shows the schema, how many jobs wait, run and have failed, and the database without its password. On an older schema, it says so and may leave the jobs out. The command jobs shows each of them.',
  flags: {},
  example: 'status',
  schema: 'tolerate',
  async run({ db, where }) {
    const version = await readServerVersion(db);
    const migrations = await migrationsOf(db);
    const outdated = sayOutdated(migrations);
    return {
      schema: migrations.at(-1) ?? null,
      ...(outdated === undefined ? {} : { outdated: `${outdated} Run migrate, or start this version.` }),
      jobs: await readJobs(db, outdated !== undefined),
      database: { version, where },
    };
  },
});

/** An older schema may lack what the statements of this version read. */
async function readJobs(db: Db, isOutdated: boolean) {
  try {
    return totalsOf(await readOverview(db));
  } catch (error) {
    if (isOutdated && LACKING.has(String((error as { code?: unknown }).code))) return {};
    throw error;
  }
}
