import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { makeKeyPair } from '../../../src/service/proof/key-pair.ts';
import { openProofKeyFile } from '../../../src/service/proof/proof-key-file.ts';
import { createFolder } from '../../cli/run-admin.ts';

const folder = createFolder();
let files = 0;
const place = (isNamed = true) => {
  files += 1;
  const home = join(folder.path, String(files));
  mkdirSync(home);
  return { path: join(home, 'proof-key.json'), isNamed };
};

it('makes a key that only the owner can read, and finds it again', () => {
  const file = place();
  const log = vi.fn();
  const made = openProofKeyFile(file, log);
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
  expect(openProofKeyFile(file, log)).toEqual(made);
  // No file without its name is left.
  expect(readdirSync(join(file.path, '..'))).toEqual(['proof-key.json']);
  expect(log).not.toHaveBeenCalled();
});

it('takes the key of another process that has made one meanwhile', () => {
  const file = place();
  const other = openProofKeyFile(place(), vi.fn());
  const makeLate = () => {
    writeFileSync(file.path, JSON.stringify({ kty: 'EC', crv: 'P-256', ...other }));
    return makeKeyPair();
  };
  expect(openProofKeyFile(file, vi.fn(), makeLate)).toEqual(other);
  expect(openProofKeyFile(file, vi.fn())).toEqual(other);
});

it.each([
  ['no JSON', 'secret text'],
  ['no key', '{}'],
  ['another curve', JSON.stringify({ kty: 'EC', crv: 'P-384', ...makeKeyPair() })],
  ['the public part alone', JSON.stringify({ kty: 'EC', crv: 'P-256', ...makeKeyPair(), d: undefined })],
  ['parts of two keys', JSON.stringify({ kty: 'EC', crv: 'P-256', ...makeKeyPair(), d: makeKeyPair().d })],
])('refuses a file with %s, without quoting it', (_, text) => {
  const file = place();
  writeFileSync(file.path, text);
  let message = '';
  try {
    openProofKeyFile(file, vi.fn());
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(message).toMatch(
    /^Expected proofKeyFile to have a private P-256 key as JWK, got something else in /,
  );
  expect(message).not.toContain('secret');
  expect(readFileSync(file.path, 'utf8')).toBe(text);
});

it('refuses a file that it is told to write and cannot', () => {
  const file = place();
  writeFileSync(file.path, 'a file, not a folder');
  const path = join(file.path, 'proof-key.json');
  expect(() => openProofKeyFile({ path, isNamed: true }, vi.fn())).toThrow(
    /^Expected proofKeyFile to be a file in a folder that the service can write to, got .*proof-key\.json \(ENOTDIR\)\. /,
  );
});

it('goes on with a key of its own if the default file cannot be written, and says so', () => {
  const file = place();
  writeFileSync(file.path, 'a file, not a folder');
  const log = vi.fn();
  const path = join(file.path, 'proof-key.json');
  expect(openProofKeyFile({ path, isNamed: false }, log).kid).toHaveLength(43);
  expect(existsSync(path)).toBe(false);
  const advice = expect.stringContaining('ends with this process');
  expect(log).toHaveBeenCalledWith('warn', 'config', { place: 'proofKeyFile', advice });
});

it('warns if others can read the key', () => {
  const file = place();
  openProofKeyFile(file, vi.fn());
  chmodSync(file.path, 0o640);
  const log = vi.fn();
  openProofKeyFile(file, log);
  expect(log).toHaveBeenCalledWith('warn', 'config', expect.objectContaining({ place: 'proofKeyFile' }));
});
