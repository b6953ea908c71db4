import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { runCommandLine } from '../../src/cli/run.ts';
import { testDatabase } from '../service/support/database.ts';
import { createFolder } from './run-admin.ts';

const database = await testDatabase();
const folder = createFolder();

const KEY_FILE = folder.write('secrets.key', Buffer.alloc(32, 1).toString('base64'));
const OTHER_FILE = folder.write('other.key', Buffer.alloc(32, 2).toString('base64'));

/** Opens the database as the program does. */
async function run(keyFile: string | undefined, ...parameters: string[]) {
  const { exitCode, output, error } = await runCommandLine(parameters, {
    environment: { DATABASE_URL: database.url, EVW_SECRETS_KEY_FILE: keyFile },
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  return { exitCode, error, printed: output === '' ? undefined : JSON.parse(output) };
}

const OWNER = ['--email', 'ada@example.com'];

it('seals what is in clear, and afterwards every command needs the key', async () => {
  await run(undefined, 'account', 'create', ...OWNER);
  const before = await run(undefined, 'account', 'show', ...OWNER);
  const secret = before.printed.callback_secret;
  expect(secret).toMatch(/^whsec_/);

  const { printed } = await run(KEY_FILE, 'secrets', 'reseal');
  expect(printed).toEqual({ key: expect.stringMatching(/^[0-9a-f]{16}$/), sealed: 1, resealed: 0 });
  expect((await run(KEY_FILE, 'account', 'show', ...OWNER)).printed).toMatchObject({
    callback_secret: secret,
  });

  for (const keyFile of [undefined, OTHER_FILE]) {
    const refused = await run(keyFile, 'account', 'create', '--email', 'grace@example.com');
    expect(refused).toMatchObject({ exitCode: 1, printed: undefined });
    expect(refused.error).toMatch(/^Expected the key [0-9a-f]{16} in secretsKeyFile, .* got .*\n$/);
    expect(refused.error).toContain(printed.key);
  }
});

it('writes a backup without the key, which holds no secret in clear', async () => {
  const { printed } = await run(KEY_FILE, 'account', 'show', ...OWNER);
  const file = `${folder.path}/verify.backup`;
  expect(await run(undefined, 'backup', file)).toMatchObject({ exitCode: 0 });
  const { gunzipSync } = await import('node:zlib');
  const text = gunzipSync(readFileSync(file)).toString();
  expect(text).toContain('ada@example.com');
  expect(text).not.toContain(printed.callback_secret);
});

it('refuses to seal without a key file', async () => {
  const empty = await testDatabase(onTestFinished);
  const refused = await runCommandLine(['secrets', 'reseal'], {
    environment: { DATABASE_URL: empty.url },
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  expect(refused).toEqual({
    ...{ exitCode: 2, output: '' },
    error: 'Expected secretsKeyFile in the config, got none. Add a file with a key.\n',
  });
});
