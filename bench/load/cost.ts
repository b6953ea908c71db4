/** Measures the processor time of a live verification with one busy process, and which part of the code uses it. */
import { sql } from 'kysely';
import type { Db } from '../../src/service/database/schema.ts';
import { databaseProcessor } from '../batch/processor.ts';
import { type Figure, round } from '../report.ts';
import { sharesOf } from '../service/profile.ts';
import { CLIENTS, MOST_S, WARM_UP_S } from './capacity.ts';
import { startWorld } from './world.ts';

const PROFILE_S = 8;
const MOST_SHOWN = 24;
const TARGET_SERVICE_US = 700;
const TARGET_DATABASE_US = 450;

export async function measureCost(isQuick: boolean): Promise<Figure> {
  const share = isQuick ? 0.4 : 1;
  const world = await startWorld({ live: { greylistRetries: [1, 2] } });
  try {
    const service = await world.startService();
    const load = (seconds: number) => world.load([service], { clients: CLIENTS, seconds: seconds * share });
    await load(WARM_UP_S);
    const before = { service: await service.processor(), database: databaseProcessor(process.pid) };
    const from = await readWork(world.db);
    const { length: count } = await load(MOST_S);
    const own = ((await service.processor()) - before.service) / count;
    const database = (databaseProcessor(process.pid) - before.database) / count;
    const to = await readWork(world.db);
    // Apart, because profiling takes processor time.
    const profile = await service.profile(() => load(PROFILE_S));
    const shares = sharesOf(profile);
    const parts = shares.slice(0, MOST_SHOWN);
    const rest = shares.slice(MOST_SHOWN).reduce((sum, each) => sum + each.share, 0);
    const us = (value: number) => `${round(value)} µs`;
    return {
      title: 'Where the processor time of a live verification goes',
      how: `One process, and *most* as in the table above, but for ${MOST_S * share} s: ${count} verifications. A profile of the next ${PROFILE_S * share} s divides the processor time of the service among its files. The work of Node for a file counts for the file. The transactions and the log are those of the database.`,
      head: ['', 'for each verification'],
      rows: [
        ['the service', us(own)],
        ...parts.map((each) => [`– ${each.place}`, us(each.share * own)]),
        ['– the rest', us(rest * own)],
        ['the database', us(database)],
        ['– its transactions', round((to.transactions - from.transactions) / count)],
        ['– its log', `${round((to.walBytes - from.walBytes) / count)} B`],
      ],
      targets: [
        {
          text: `the service: at most ${TARGET_SERVICE_US} µs`,
          found: us(own),
          isMet: own <= TARGET_SERVICE_US,
        },
        {
          text: `the database: at most ${TARGET_DATABASE_US} µs`,
          found: us(database),
          isMet: database <= TARGET_DATABASE_US,
        },
      ],
    };
  } finally {
    await world.close();
  }
}

async function readWork(db: Db): Promise<{ transactions: number; walBytes: number }> {
  const { rows } = await sql<{ transactions: number; walBytes: number }>`
    select xact_commit::float8 as transactions, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "walBytes"
    from pg_stat_database where datname = current_database()
  `.execute(db);
  return rows[0]!;
}
