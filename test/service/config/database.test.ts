/** Which texts name a database, and which are refused without being quoted. */
import { expect, it } from 'vitest';
import { readLocation } from '../../../src/service/config/database.ts';

it.each([
  'postgres://shop:geheim@db.example:5432/shop',
  'postgresql://shop:geheim@db.example/shop?sslmode=require',
  'postgres://[2001:db8::1]/shop',
  'postgres:///shop?host=/run/postgresql',
  // PostgreSQL's own form for a socket: there is a user, and no host.
  'postgres://shop:geheim@/shop?host=%2Frun%2Fpostgresql',
  'postgres://shop@/shop?host=/run/postgresql',
])('takes the URL %s', (url) => {
  expect(readLocation(url, 'database', '/etc')).toEqual({ url });
});

it('takes any other text for a folder, relative to its base', () => {
  expect(readLocation('data', 'database', '/etc')).toEqual({ folder: '/etc/data' });
  expect(readLocation('/srv/data', 'database', '/etc')).toEqual({ folder: '/srv/data' });
});

it.each([
  ['mysql://shop:geheim@db.example/shop', /^Expected database to be a postgres:\/\/ URL .* mysql:\/\/ URL/],
  ['postgres://shop:gehe im@db.exa mple:5432/shop', /^Expected database to be a URL such as/],
  ['postgres://shop:geheim@db.example:port/shop', /^Expected database to be a URL such as/],
  ['postgres://shop:geheim%@:port/shop', /^Expected database to be a URL such as/],
])('refuses %s', (url, message) => {
  expect(() => readLocation(url, 'database', '/etc')).toThrow(message);
  expect(() => readLocation(url, 'database', '/etc')).not.toThrow(/geheim/);
});
