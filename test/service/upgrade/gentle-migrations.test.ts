/**
 * No migration after 0017 locks a table for as long as it reads it, or two tables in an order in which a request could wait
 * for it in a circle. Those before ran before the first release.
 */
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { MIGRATIONS, migrationsOf } from '../../../src/service/database/migrate.ts';
import { buildIndexes, lockTables, type SchemaMigration } from '../../../src/service/database/migration.ts';
import { testDatabase } from '../support/database.ts';
import { restoreRelease } from './restore-release.ts';

const RELEASE = '0017-sealed-secrets';

/** They have a few rows for each process or organisation, however many customers there are. */
const SMALL = ['batch_marks', 'conversation_queues', 'conversations', 'paces', 'processes'];

/** A filled database, and one connection whose statements are recorded. It takes seconds to fill. */
async function filled(): Promise<{ db: Kysely<unknown>; statements: string[] }> {
  const database = await testDatabase(undefined, { empty: true });
  await restoreRelease(database.db, RELEASE);
  const statements: string[] = [];
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void statements.push(query.sql),
  });
  afterAll(() => db.destroy());
  return { db, statements };
}

/** Runs a migration. @returns what would hold requests up on a large database */
async function faultsOf(
  { db, statements }: Awaited<ReturnType<typeof filled>>,
  migration: SchemaMigration,
): Promise<string[]> {
  if (migration.inSteps) {
    await migration.up(db, false);
    return [];
  }
  return db.transaction().execute(async (transaction) => {
    const { rows: before } = await sql<{ name: string; read: number }>`
      select relname as name, coalesce(seq_tup_read, 0)::integer as read
      from pg_class left join pg_stat_xact_user_tables using (relname)
      where relkind = 'r' and pg_class.relnamespace = 'public'::regnamespace and relname not like 'kysely%'
    `.execute(transaction);
    statements.length = 0;
    await migration.up(transaction, false);
    const locking = statements.filter((statement) => statement.includes('lock table')).join();
    const { rows: locks } = await sql<{ name: string; modes: string[]; read: number }>`
      select relname as name, array_agg(distinct mode) as modes,
        coalesce(max(seq_tup_read), 0)::integer as read
      from pg_locks join pg_class on relation = pg_class.oid left join pg_stat_xact_user_tables using (relname)
      where pid = pg_backend_pid() and relkind = 'r'
        and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
      group by relname
    `.execute(transaction);
    const held = locks.flatMap(({ name, modes, read }) => {
      const earlier = before.find((table) => table.name === name);
      return earlier ? [{ name, modes, wasRead: read > earlier.read }] : [];
    });
    return [
      ...held
        .filter(({ name, modes }) => modes.includes('ShareLock') && !SMALL.includes(name))
        .map(({ name }) => `builds an index of ${name}: use buildIndexes()`),
      ...held
        .filter(
          ({ name, modes, wasRead }) => wasRead && !modes.includes('ShareLock') && !SMALL.includes(name),
        )
        .map(
          ({ name }) =>
            `reads ${name} while it is locked: add a check "not valid", and validate it in the next`,
        ),
      ...held
        .filter(({ name }) => held.length > 1 && !locking.includes(`"${name}"`))
        .map(({ name }) => `locks ${name} and other tables: use lockTables(), or another migration for each`),
    ];
  });
}

const [released, changed] = [await filled(), await filled()];
const NEWER = Object.entries(MIGRATIONS).filter(([name]) => name > '0018');

it('holds up no request with any migration after 0017', async () => {
  expect(await migrationsOf(released.db)).toHaveLength(17);
  const faults: Record<string, string[]> = {};
  for (const [name, migration] of NEWER) faults[name] = await faultsOf(released, migration);
  expect(faults).toEqual(Object.fromEntries(NEWER.map(([name]) => [name, []])));
});

// All change one database, each something else.
const run = (...texts: string[]): SchemaMigration => ({
  async up(db) {
    for (const text of texts) await sql.raw(text).execute(db);
  },
});

it.each<[string, SchemaMigration, string[]]>([
  [
    'an index that keeps requests from writing',
    run('create index on ledger (amount)'),
    ['builds an index of ledger: use buildIndexes()'],
  ],
  [
    'a check that reads a locked table',
    run('alter table ledger add check (amount <> 12345)'),
    ['reads ledger while it is locked: add a check "not valid", and validate it in the next'],
  ],
  [
    'a new column that is not null, by its check',
    run('alter table batch_rows add tried integer not null default 0 check (tried >= 0)'),
    ['reads batch_rows while it is locked: add a check "not valid", and validate it in the next'],
  ],
  [
    'two tables',
    run('alter table accounts add a integer', 'alter table keys add a integer'),
    ['accounts', 'keys'].map(
      (name) => `locks ${name} and other tables: use lockTables(), or another migration for each`,
    ),
  ],
])('finds %s', async (_, migration, faults) => {
  expect(await faultsOf(changed, migration)).toEqual(faults);
});

it.each<[string, SchemaMigration]>([
  ['a column', run('alter table ledger add tried integer not null default 0')],
  [
    'a check that is validated later',
    run('alter table ledger add constraint c check (amount <> 12345) not valid'),
  ],
  ['an index beside requests', buildIndexes({ ledger_amounts: 'on ledger (amount)' })],
  ['a table of an account', run('create table t (account_id text references accounts on delete cascade)')],
  [
    'two tables that are locked at once',
    {
      async up(db) {
        await lockTables(db, 'accounts', 'keys');
        await run('alter table accounts add b integer', 'alter table keys add b integer').up(db, false);
      },
    },
  ],
])('allows %s', async (_, migration) => {
  expect(await faultsOf(changed, migration)).toEqual([]);
});
