/** Where the database is, as the config and the environment say it. */
import { expect, it } from 'vitest';
import { readLocation } from '../../../src/service/config/database.ts';

it.each([
  'postgres://user:password@db.example:5432/name',
  'postgresql:///name',
  'postgres://user:password@/name?host=/run/postgresql',
])('takes the URL %s', (url) => {
  expect(readLocation(url, 'database', '/base')).toEqual({ url });
});

it.each([
  ['data', '/base/data'],
  ['/var/lib/data', '/var/lib/data'],
])('takes %s for the folder %s', (text, folder) => {
  expect(readLocation(text, 'database', '/base')).toEqual({ folder });
});

it.each([
  ['mysql://user:secret@db.example/name', 'got a mysql:// URL'],
  ['postgres://user:secret@db.example:port/name', 'got one that cannot be read'],
  ['postgres://user:se%/cret@:5432/name', 'got one that cannot be read'],
])('refuses %s without quoting the password', (url, reason) => {
  const read = () => readLocation(url, 'DATABASE_URL', '/base');
  expect(read).toThrow(`Expected DATABASE_URL to be`);
  expect(read).toThrow(reason);
  expect(read).not.toThrow(/secret|cret@/);
});
