import { chmodSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { findWarnings } from '../../../../src/service/config/config-warnings.ts';
import { loadSettings } from '../../../../src/service/config/load-settings.ts';
import { createFolder } from '../../../cli/run-admin.ts';

const KEYS = [1, 2].map((byte) => Buffer.alloc(32, byte));
const [FIRST, SECOND] = KEYS.map((key) => key.toString('base64'));

/** @param content of the key file */
function load(content: string, environment = {}) {
  const config = { database: 'data', secretsKeyFile: 'secrets.key' };
  return loadSettings('/etc/verify/service.json', environment, (path) =>
    path === '/etc/verify/service.json'
      ? JSON.stringify(config)
      : `${path === '/etc/verify/secrets.key' ? content : ''}`,
  );
}

it.each([
  ['a line break at the end', `${FIRST}\n${SECOND}\n`],
  ['none', `${FIRST}\n${SECOND}`],
  ['lines of Windows, a byte order mark and an empty line', `\uFEFF${FIRST}\r\n\r\n ${SECOND} \r\n`],
])('reads a key from each line, with %s', (_, content) => {
  expect(load(content).secrets).toEqual({ keys: KEYS, isOpenToOthers: false });
});

it.each([
  ['a short key', `${FIRST}\n${Buffer.alloc(31).toString('base64')}`, 'line 2'],
  ['a long key', Buffer.alloc(33).toString('base64'), 'line 1'],
  ['a key in hexadecimal', KEYS[0]!.toString('hex'), 'line 1'],
  ['a key that no encoder writes', FIRST!.replace(/.=$/, 'B='), 'line 1'],
  ['two keys in a line', `${FIRST} ${SECOND}`, 'line 1'],
  ['an empty file', '\n', 'got none'],
])('refuses %s without quoting it, and says how to make one', (_, content, what) => {
  const fault = () => load(content);
  expect(fault).toThrow(/^.*Expected secretsKeyFile to have a key.*openssl rand -base64 32$/);
  expect(fault).toThrow(what);
  for (const line of content.split('\n').filter(Boolean)) expect(fault).not.toThrow(line);
});

it('names the variable of a file that is missing', () => {
  const environment = { DATABASE_URL: 'data', EVW_SECRETS_KEY_FILE: '/none/secrets.key' };
  const none = () => {
    throw Object.assign(new Error(), { code: 'ENOENT' });
  };
  const message = 'Expected EVW_SECRETS_KEY_FILE to be a readable file, got /none/secrets.key (ENOENT).';
  expect(() => loadSettings(undefined, environment, none)).toThrow(message);
});

it.each([
  [0o644, ['secretsKeyFile']],
  [0o640, []],
  [0o600, []],
])('warns of a key file that every user of the machine can read: %o', (mode, places) => {
  const folder = createFolder(onTestFinished);
  const path = folder.write('secrets.key', FIRST!);
  chmodSync(path, mode);
  const settings = loadSettings(undefined, { DATABASE_URL: 'data', EVW_SECRETS_KEY_FILE: path });
  expect(findWarnings(settings).map(({ place }) => place)).toEqual(places);
});
