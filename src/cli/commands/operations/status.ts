/** `status`: the operator's page in a terminal. */
import type { LiveSettings } from '../../../service/config/sections/live-section.ts';
import type { Db } from '../../../service/database/database.ts';
import { migrationsOf, sayOutdated } from '../../../service/database/migrate.ts';
import { findHolder } from '../../../service/database/schema-lock.ts';
import { readServerVersion } from '../../../service/database/server-version.ts';
import { ifThere, readOverview, totalsOf } from '../../../service/operations/overview.ts';
import { STATE } from '../../../service/operations/state.ts';
import { defineCommand, type Json } from '../../command.ts';
import { examineDatabase, examineOutside, isWell } from './examine.ts';

/** The build puts the version in. */
declare const VERSION: string;

export const status = defineCommand({
  words: ['status'],
  description:
    'Shows the version, the schema, a migration that runs or waits, the processes, the queues, the latest audit of the books, lists, open payments, what doctor finds wrong, how many jobs wait, run and have failed, and the database without its password. On an older schema, it says so and leaves out what it cannot read. The command jobs shows each job.',
  flags: {},
  example: 'status',
  schema: 'tolerate',
  async run({ db, where, live }) {
    const version = await readServerVersion(db);
    const migrations = await migrationsOf(db);
    const outdated = sayOutdated(migrations);
    const holder = await findHolder(db);
    // Beside the other parts, because it waits for other machines.
    const [doctor, parts] = await Promise.all([
      live ? examine(live, db, where) : null,
      readState(db, live?.listsFolder, outdated !== undefined),
    ]);
    return {
      version: VERSION,
      schema: migrations.at(-1) ?? null,
      ...(outdated === undefined ? {} : { outdated: `${outdated} Run migrate, or start this version.` }),
      ...(holder && {
        migration: { host: holder.host ?? null, pid: holder.pid ?? null, is_waiting: holder.isWaiting },
      }),
      ...parts,
      doctor,
      jobs: await readJobs(db, outdated !== undefined),
      database: { version, where },
    };
  },
});

async function readState(db: Db, listsFolder: string | undefined, isOutdated: boolean) {
  const parts: Record<string, Json> = {};
  for (const [name, read] of Object.entries(STATE))
    parts[name] = await ifThere<Json>(isOutdated, read(db, listsFolder), {});
  return parts;
}

/** What is well is left out. `doctor` has all findings. */
async function examine(live: LiveSettings, db: Db, where: string) {
  const findings = (await Promise.all([examineOutside(live), examineDatabase(db, where)])).flat();
  return {
    ok: findings.every(isWell),
    findings: findings.filter((found) => !isWell(found)).map((found) => ({ ...found })),
  };
}

/** The processes of an older schema are unknown. */
async function readJobs(db: Db, isOutdated: boolean) {
  const { processes, ...jobs } = totalsOf(await readOverview(db, isOutdated));
  return isOutdated ? jobs : { ...jobs, processes };
}
