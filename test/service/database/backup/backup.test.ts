/** Backups: everything is restored as it was, or nothing is. */
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { changeCredits, readLedger } from '../../../../src/service/credits/credit-store.ts';
import { linesOf } from '../../../../src/service/database/backup/backup-lines.ts';
import { COPIED_TABLES } from '../../../../src/service/database/backup/copy-database.ts';
import { FUNCTIONS } from '../../../../src/service/database/backup/drop-tables.ts';
import { readBackup } from '../../../../src/service/database/backup/read-backup.ts';
import { restoreAsItWas, restoreBackup } from '../../../../src/service/database/backup/restore-backup.ts';
import { writeBackup } from '../../../../src/service/database/backup/write-backup.ts';
import { MIGRATIONS, migrate, migrationsOf } from '../../../../src/service/database/migrate.ts';
import { removeProcess } from '../../../../src/service/jobs/process-store.ts';
import { createAccount } from '../../../../src/service/people/members/create-account.ts';
import { makeFirstProofKey } from '../../../../src/service/proof/roll-proof-key.ts';
import { withResolvers } from '../../../with-resolvers.ts';
import { storeBatch } from '../../support/batch.ts';
import { createTestDatabase, type TestDatabase, testDatabase } from '../../support/database.ts';
import { describeSchema } from '../../support/describe-schema.ts';
import { addProcess } from '../../support/process.ts';

// Each restore makes all tables.

const source = await testDatabase();
let target: TestDatabase;
beforeEach(async () => {
  target = await createTestDatabase({ empty: true });
});
afterEach(() => target.drop());

const account = await createAccount(source.db, { email: 'ada@example.com', passwordHash: 'x', credits: 5 });
if (typeof account === 'string') throw new Error('a new database has an account');
// More rows than are read or written at once.
await sql`
  insert into ledger (account_id, amount, why, of, balance)
  select ${account.id}, 1 - number % 2 * 2, 'top-up', number::text, 6 - number % 2 from generate_series(0, 1199) as number
`.execute(source.db);
await makeFirstProofKey(source.db, 600);
const STRANGE = ['a\u0000b@x.example', '\ud800@x.example', '"q\\"@x.example,('];
await storeBatch(source.db, account.id, STRANGE, { id: '0123456789abcdef01234567', mode: 'test' });

async function backUp({ db }: Pick<TestDatabase, 'db'>): Promise<Buffer> {
  const destination = new PassThrough();
  const writing = writeBackup(db, destination, { program: '0.0.0' });
  return (await Promise.all([buffer(destination), writing]))[0];
}

const open = (bytes: Buffer) => readBackup(Readable.from([bytes]));
const readWhole = async (bytes: Buffer) => {
  for await (const { rows } of (await open(bytes)).chunks) expect(rows).toBeInstanceOf(Array);
};
const restoreInto = async ({ db }: TestDatabase, bytes: Buffer) => restoreBackup(db, await open(bytes));

/** Everything in a table, as text. */
const contentOf = async ({ db }: TestDatabase, table: string) => {
  const content = sql<{ row: string }>`select t::text as row from ${sql.table(table)} as t order by 1`;
  return (await content.execute(db)).rows;
};

async function expectSameContent(one: TestDatabase, other: TestDatabase): Promise<void> {
  for (const table of COPIED_TABLES)
    expect(await contentOf(one, table)).toEqual(await contentOf(other, table));
}

/** Replaces lines of a backup. */
function edit(bytes: Buffer, change: (lines: string[]) => string[]): Buffer {
  const lines = gunzipSync(bytes).toString('utf8').trimEnd().split('\n');
  return gzipSync(`${change(lines).join('\n')}\n`);
}

const replace = (found: string | RegExp, by: string) => (lines: string[]) =>
  lines.map((line) => line.replace(found, by));

const whole = await backUp(source);

describe('restores', () => {
  it('every row of every table, into a database without tables', async () => {
    const { rows, migrated } = await restoreInto(target, whole);
    expect(rows).toMatchObject({ accounts: 1, ledger: 1201, batch_rows: 3, sessions: 0, proof_keys: 1 });
    expect(migrated).toEqual([]);
    await expectSameContent(target, source);
    expect(await migrate(target.db)).toEqual([]);
  });

  it('into an empty database that a service has used already', async () => {
    await migrate(target.db);
    await makeFirstProofKey(target.db, 600);
    const dead = sql`insert into processes (id, alive_at) values (gen_random_uuid(), now() - interval '1 minute')`;
    await dead.execute(target.db);
    await restoreInto(target, whole);
    await expectSameContent(target, source);
    expect(await describeSchema(target.db)).toBe(await describeSchema(source.db));
  });

  it('numbers that go on after those of the backup', async () => {
    await restoreInto(target, whole);
    await changeCredits(target.db, account.id, { amount: 7, why: 'top-up' });
    expect((await readLedger(target.db, account.id, 1))[0]).toMatchObject({ amount: 7, balance: 12 });
  });

  it('the rows of one moment, although others write meanwhile', async () => {
    const destination = new PassThrough({ highWaterMark: 1 });
    const writing = writeBackup(source.db, destination, { program: '0.0.0' });
    // The head has been written, so the moment has come.
    await new Promise((resolve) => destination.once('readable', resolve));
    const late = await createAccount(source.db, { email: 'late@example.com', passwordHash: 'x', credits: 1 });
    onTestFinished(async () => {
      await source.db.deleteFrom('accounts').where('owner_email', '=', 'late@example.com').execute();
      await source.db.deleteFrom('persons').where('email', '=', 'late@example.com').execute();
    });
    expect(late).not.toBe('exists');
    const [bytes] = await Promise.all([buffer(destination), writing]);
    expect((await restoreInto(target, bytes)).rows).toMatchObject({ accounts: 1, ledger: 1201 });
  });

  it.each([1, 12])('a backup with the first %i migrations, and runs the others', async (count) => {
    const older = Object.fromEntries(Object.entries(MIGRATIONS).slice(0, count));
    const before = await testDatabase(onTestFinished, { empty: true });
    await migrate(before.db, older);
    await sql`
      insert into accounts (id, owner_email, email_key, password_hash, callback_secret)
      values ('acc_1', 'old@example.com', 'old@example.com', 'x', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
    `.execute(before.db);
    const bytes = await backUp(before);
    // The backup has migrated nothing.
    expect(await migrationsOf(before.db)).toHaveLength(count);
    // The target is newer than the backup.
    await migrate(target.db);
    const { migrated } = await restoreInto(target, bytes);
    expect(migrated).toEqual(Object.keys(MIGRATIONS).slice(count));
    expect(await describeSchema(target.db)).toBe(await describeSchema(source.db));
    expect(await contentOf(target, 'accounts')).toHaveLength(1);
  });

  it('a backup with the schema that it had, if the next start is to migrate it', async () => {
    const older = Object.fromEntries(Object.entries(MIGRATIONS).slice(0, 12));
    await migrate(target.db, older);
    const bytes = await backUp(target);
    await restoreAsItWas(target.db, await open(bytes));
    expect(await migrationsOf(target.db)).toHaveLength(12);
  });
});

it('says once that a backup takes long, and goes on', async () => {
  // Nobody reads it until then.
  const destination = new PassThrough({ highWaterMark: 1 });
  const { promise: tookLong, resolve } = withResolvers();
  const onLong = vi.fn(resolve);
  const writing = writeBackup(source.db, destination, { program: '0.0.0', onLong, longMs: 1 });
  await tookLong;
  await readWhole(await buffer(destination));
  await writing;
  expect(onLong).toHaveBeenCalledOnce();
});

it('makes a start of the service wait for the end of a restore', async () => {
  const reached = withResolvers();
  const halted = withResolvers();
  const backup = await open(whole);
  const chunks = (async function* () {
    for await (const chunk of backup.chunks) {
      yield chunk;
      reached.resolve();
      await halted.promise;
    }
  })();
  const restoring = restoreBackup(target.db, { ...backup, chunks });
  await reached.promise;
  const waits = withResolvers();
  const restored = withResolvers();
  const migrating = migrate(target.connect(1), MIGRATIONS, {
    wait() {
      waits.resolve();
      return restored.promise;
    },
  });
  await waits.promise;
  halted.resolve();
  await restoring;
  restored.resolve();
  expect(await migrating).toEqual([]);
  await expectSameContent(target, source);
});

it('knows every function of the schema', async () => {
  const { rows } = await sql<{ name: string }>`
    select distinct proname as name from pg_proc where pronamespace = current_schema()::regnamespace
  `.execute(source.db);
  for (const { name } of rows) expect(FUNCTIONS).toContain(name);
});

it.each<[string, (lines: string[]) => string[], string]>([
  ['with a row less', (lines) => lines.filter((_, index) => index !== 5), 'damaged'],
  ['with a row that was changed', replace('ada@', 'eve@'), 'damaged'],
  ['with more after its end', (lines) => [...lines, '"(1)"'], 'damaged'],
  ['with a row before the first table', ([head, ...rest]) => [head!, '"(1)"', ...rest], 'damaged'],
  ['with a line of another kind', ([head]) => [head!, '5'], 'damaged'],
  ['with a line that is not JSON', ([head]) => [head!, '{'], 'damaged'],
  ['of another program', replace('email-verify-backup', 'other'), 'got another file'],
  [
    'in a newer format',
    replace('"version":1', '"version":2'),
    'Expected a backup in format 1 or older, got format 2.',
  ],
])('recognises a backup %s', async (_, change, message) => {
  await expect(readWhole(edit(whole, change))).rejects.toThrow(message);
});

it('recognises a file that is not compressed, or damaged within, or one endless line', async () => {
  await expect(readWhole(Buffer.from('nonsense'))).rejects.toThrow('not a backup');
  const bytes = Buffer.from(whole);
  bytes.fill(0xff, 2000, 2100);
  await expect(readWhole(bytes)).rejects.toThrow('damaged');
  const endless = linesOf(Readable.from([gzipSync('x'.repeat(100_000))]), 1000);
  await expect(endless.next()).rejects.toThrow('an endless line');
  const unread = new Readable({ read: () => unread.destroy(new Error('the disk failed')) });
  await expect(readBackup(unread)).rejects.toThrow('the disk failed');
});

describe('restores nothing', () => {
  afterEach(async () => {
    const ledgers = sql`select from pg_tables where schemaname = 'public' and tablename = 'ledger'`;
    const { rows } = await ledgers.execute(target.db);
    if (rows.length > 0) expect(await contentOf(target, 'ledger')).toEqual([]);
  });

  it.each([0, 30, whole.length - 1])('of a backup that is cut off after %i bytes', async (length) => {
    await expect(restoreInto(target, whole.subarray(0, length))).rejects.toThrow('cut off');
  });

  it.each<[string, (lines: string[]) => string[], string]>([
    ['without its end', (lines) => lines.slice(0, -1), 'cut off'],
    [
      'of a newer version',
      replace(/(\d{4}-[a-z-]+)"\]/, '$1","9999-later"]'),
      'got one with migration 9999-later. Use version 0.0.0 of the program, or a newer one.',
    ],
    ['with other columns', replace('"owner_email"', '"email"'), 'the columns that table "accounts" has'],
    [
      'with a table that there is not',
      replace('{"table":"accounts"', '{"table":"pg_authid"'),
      'the columns that table "pg_authid" has',
    ],
  ])('of a backup %s', async (_, change, message) => {
    await expect(restoreInto(target, edit(whole, change))).rejects.toThrow(message);
  });

  it('while a service uses the target', async () => {
    await migrate(target.db);
    const id = '00000000-0000-4000-8000-000000000001';
    await addProcess(target.db, id);
    await expect(restoreInto(target, whole)).rejects.toThrow('Stop it first');
    await removeProcess(target.db, id);
    await restoreInto(target, whole);
    await sql`truncate ledger`.execute(target.db);
  });

  it('into a database with a table of another program', async () => {
    const foreign = await testDatabase(onTestFinished, { empty: true });
    await sql`create table sessions (id integer)`.execute(foreign.db);
    await expect(restoreInto(foreign, whole)).rejects.toThrow('a table "sessions" of another program');
  });

  it('into a database with accounts, or with the tables of a newer version', async () => {
    await migrate(target.db);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '')`.execute(target.db);
    await expect(restoreInto(target, whole)).rejects.toThrow('9999-later, which this version does not know');
    await expect(backUp(target)).rejects.toThrow('9999-later, which this version does not know');
    await sql`delete from kysely_migration where name = '9999-later'`.execute(target.db);
    await createAccount(target.db, { email: 'other@example.com', passwordHash: 'x' });
    await expect(restoreInto(target, whole)).rejects.toThrow('Expected a target database without accounts');
    expect(await contentOf(target, 'accounts')).toHaveLength(1);
  });
});

it('refuses to back up a database without tables', async () => {
  await expect(backUp(target)).rejects.toThrow('got one without its tables');
});
