import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/cli/settings.ts';
import { DEFAULT_DURATIONS } from '../../src/service/config/sections/durations-section.ts';
import { UsageError } from '../../src/service/core/usage-error.ts';

const PATH = '/etc/service/config.json';
const KEYS = [{ key: 'test_private', kind: 'private' }];
const NO_LOCATION = 'Expected database to be a postgres:// URL or the path of a folder';

function settings(config: unknown, databaseUrl?: string) {
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  return readSettings(PATH, { environment: { DATABASE_URL: databaseUrl }, readFile: () => text });
}

describe('finds the database', () => {
  it.each([
    [{ database: 'data' }, { folder: '/etc/service/data' }],
    [{ database: './data/a' }, { folder: '/etc/service/data/a' }],
    [{ database: '/var/data' }, { folder: '/var/data' }],
    [{ database: './data:a' }, { folder: '/etc/service/data:a' }],
    [{ database: 'postgres://host/name' }, { url: 'postgres://host/name' }],
    [{ database: 'postgresql://host/name' }, { url: 'postgresql://host/name' }],
    [{ database: 'POSTGRES://host/name' }, { url: 'POSTGRES://host/name' }],
    [{ database: 'data', keys: [], durations: { session: 60 } }, { folder: '/etc/service/data' }],
    [`\uFEFF{"database":"data"}`, { folder: '/etc/service/data' }],
  ])('of %j', (config, location) => {
    expect(settings(config).location).toEqual(location);
  });

  it('in DATABASE_URL first, even without a config file', () => {
    expect(settings({ database: 'data' }, 'postgres://a/b').location).toEqual({ url: 'postgres://a/b' });
    const withoutFile = readSettings(undefined, {
      environment: { DATABASE_URL: 'postgres://a/b' },
      readFile: () => {
        throw new Error('Expected no file to be read.');
      },
    });
    expect(withoutFile).toEqual({
      location: { url: 'postgres://a/b' },
      ...{ configKeys: [], durations: DEFAULT_DURATIONS, refundUnknown: true, secretsKeys: [] },
      serviceUrl: 'http://127.0.0.1:8080',
    });
  });

  it('and ignores an empty DATABASE_URL', () => {
    expect(settings({ database: 'data' }, '').location).toEqual({ folder: '/etc/service/data' });
  });

  it('in the folder that DATABASE_URL names, relative to the config file', () => {
    expect(settings({}, 'data').location).toEqual({ folder: '/etc/service/data' });
  });
});

it('returns the keys of the config file, also with DATABASE_URL', () => {
  const config = { keys: KEYS, database: 'data' };
  expect(settings(config).configKeys).toEqual(['test_private']);
  expect(settings(config, 'postgres://a/b').configKeys).toEqual(['test_private']);
});

describe('refuses', () => {
  it.each([
    ['no database', { keys: KEYS }, 'Expected "database" in the file of --config, got none.'],
    ['another scheme', { database: 'mysql://ada:hunter2@host/name' }, `${NO_LOCATION}, got a mysql:// URL.`],
    ['a number as the database', { database: 5 }, NO_LOCATION],
    ['an empty database', { database: '' }, NO_LOCATION],
    ['a blank database', { database: '   ' }, `${NO_LOCATION}, got a blank text.`],
    [
      'a mistyped URL',
      { database: 'postgres:/ada:hunter2@host/name' },
      `${NO_LOCATION}, got a text that begins with "postgres:".`,
    ],
    [
      'the URL of another program',
      { database: 'mysql:host=hunter2' },
      `${NO_LOCATION}, got a text that begins with "mysql:".`,
    ],
    ['no JSON', '{', '/etc/service/config.json: Expected JSON'],
    ['a name that is there twice', '{"database":"a","database":"b"}', 'there twice'],
    ['a list', [], '/etc/service/config.json: Expected'],
    ['a wrong key', { database: 'data', keys: [{ key: 'test_hunter2', kind: 'pubic' }] }, 'keys[0].kind'],
  ])('a config with %s', (_, config, message) => {
    const read = () => settings(config);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(message);
    expect(read).not.toThrow('hunter2');
  });

  it('a DATABASE_URL with another scheme, without quoting its password', () => {
    expect(() => settings({}, 'mysql://ada:hunter2@host/name')).toThrow(
      'Expected DATABASE_URL to be a postgres:// URL or the path of a folder, got a mysql:// URL.',
    );
  });

  it('to run with neither --config nor DATABASE_URL', () => {
    const surroundings = { environment: {}, readFile: () => '' };
    expect(() => readSettings(undefined, surroundings)).toThrow('Expected --config FILE or the environment');
  });

  it('a config file that cannot be read', () => {
    const readFile = () => {
      throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    };
    const message = 'Expected a readable file after --config, got folder (EISDIR).';
    expect(() => readSettings('folder', { environment: {}, readFile })).toThrow(message);
  });
});
