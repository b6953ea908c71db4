/** The command `copy`, from one database to another. */
import { expect, it } from 'vitest';
import { testDatabase } from '../service/support/database.ts';
import { adminOn, createFolder } from './run-admin.ts';

const source = await testDatabase();
const target = await testDatabase();
const folder = createFolder();

it('copies the accounts to the database of the file, and shows no password', async () => {
  await adminOn(source).done('account', 'create', '--email', 'ada@example.com', '--credits', '5');
  const file = folder.write('url.txt', `${target.url}\n`);
  const printed = await adminOn(source.url).done('copy', '--to-file', file);
  expect(printed).toMatchObject({ copied: { accounts: 1, ledger: 1 } });
  const [, password] = /:([^:@]+)@/.exec(target.url)!;
  expect(JSON.stringify(printed)).not.toContain(password);
  expect(await adminOn(target).listed('account', 'list')).toMatchObject([
    { owner_email: 'ada@example.com', available_credits: 5 },
  ]);
});

it('refuses a file that holds no postgres:// URL', async () => {
  const file = folder.write('other.txt', 'mysql://ada:hunter2@host/name');
  const line = await adminOn(source).refused('copy', '--to-file', file);
  expect(line).toContain('postgres:// URL');
  expect(line).not.toContain('hunter2');
});
