import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/run.ts';
import { scheduleAudit } from '../../src/service/books/night-store.ts';
import { makeAccount } from '../service/support/account.ts';
import { testDatabase } from '../service/support/database.ts';
import { adminOn } from './run-admin.ts';

const database = await testDatabase();
const { db } = database;
const audit = (...flags: string[]) =>
  runCommandLine(['audit-books', ...flags], {
    environment: { DATABASE_URL: database.url },
    readFile: () => '',
  });

it('prints an empty list, or nothing as text, if the books are right', async () => {
  await makeAccount(db, 3);
  expect(await audit()).toEqual({ exitCode: 0, output: '[]\n', error: '' });
  expect(await audit('--text')).toEqual({ exitCode: 0, output: '', error: '' });
});

it('prints each difference and ends with exit code 1', async () => {
  const account = await makeAccount(db, 5);
  await sql`update accounts set available_credits = 7 where id = ${account}`.execute(db);
  const found = await audit();
  expect([found.exitCode, found.error]).toEqual([1, '']);
  expect(JSON.parse(found.output)).toEqual([{ kind: 'balance', account, expected: 5, got: 7 }]);
  expect(await audit('--text')).toEqual({
    ...{ exitCode: 1, error: '', output: `balance: account ${account}: expected 5, got 7\n` },
  });
});

it('prints nothing on standard output if the database is away', async () => {
  const { exitCode, output, error } = await runCommandLine(['audit-books'], {
    environment: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
    readFile: () => '',
  });
  expect([exitCode, output]).toEqual([1, '']);
  expect(error).toMatch(/cannot be reached/);
});

it('tells the latest audit of the night in status', async () => {
  const books = async () =>
    ((await adminOn(database).done('status')) as unknown as { books: Record<string, unknown> }).books;
  await scheduleAudit(db);
  expect(await books()).toMatchObject({
    audited_at: null,
    next_audit_at: expect.stringMatching(/T02:00:00/),
  });
  await sql`
    update book_audit set ended_at = '2026-11-26T02:03:00Z', differences = '[]', difference_count = 2
  `.execute(db);
  expect(await books()).toMatchObject({
    ...{ audited_at: '2026-11-26T02:03:00.000Z', differences: 2 },
    in_words: 'The latest audit found differences. audit-books lists those of now.',
  });
  await sql`update book_audit set difference_count = 0`.execute(db);
  expect(await books()).toMatchObject({ in_words: 'The latest audit found no difference.' });
});
