/** The account of tests with a database, and the admin command. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { copiesOf } from './service-process.ts';

const ADMIN = fileURLToPath(new URL('../../dist/admin/main.js', import.meta.url));
export const EMAIL = 'ada@example.com';
export const PASSWORD = 'correct horse battery';
const CREDITS = 1_000;

/** Makes a data folder with the account. */
export const newAccountData = copiesOf('account', async (database) => {
  const configFile = `${database}.json`;
  const passwordFile = `${database}.password`;
  writeFileSync(configFile, JSON.stringify({ database }));
  writeFileSync(passwordFile, PASSWORD);
  const account = ['--email', EMAIL, '--credits', String(CREDITS), '--password-file', passwordFile];
  await runAdmin(configFile, ['account', 'create', ...account]);
});

/** Runs the admin command. @returns what it prints */
export async function runAdmin(configFile: string, parameters: string[]): Promise<unknown> {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [ADMIN, '--config', configFile, ...parameters]);
  return JSON.parse(stdout);
}
