/** Which texts name a database, and which are refused without being quoted. */
import { expect, it } from 'vitest';
import { readLocation } from '../../../../src/service/config/sections/database-section.ts';

it.each([
  'postgres://shop:geheim@db.example:5432/shop',
  'postgresql://shop:geheim@db.example/shop?sslmode=require',
  'postgres://[2001:db8::1]/shop',
  'postgres:///shop?host=/run/postgresql',
  // PostgreSQL's own form for a socket: there is a user, and no host.
  'postgres://shop:geheim@/shop?host=%2Frun%2Fpostgresql',
  'postgres://shop@/shop?host=/run/postgresql',
  // A user with an @, as some clouds have it.
  'postgres://db.example/shop?user=ada@db&password=geheim',
  'postgres://ada%40db:a%2Fb%23c@db.example/a%40b',
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
  // The characters / ? # of a password end the host. The rest would appear in messages as the name of the database.
  ['postgres://shop:12/geheim@db.example/shop', /^Expected database to be a URL such as .* as %XX/],
  ['postgres://shop:12@3/geheim@db.example/shop', /^Expected database to be a URL such as .* as %XX/],
  ['postgres://shop:12?geheim@db.example/shop', /^Expected database to be a URL such as .* as %XX/],
  ['postgres://shop:12#geheim@db.example/shop', /^Expected database to be a URL such as .* as %XX/],
  // Docker keeps the quotes of an environment file. The text would become the name of a new folder.
  ["'postgres://shop:geheim@db.example/shop'", /got a quote or a space before it/],
  ['"/srv/geheim"', /got a quote or a space before it/],
  [' postgres://shop:geheim@db.example/shop', /got a quote or a space before it/],
  ['postgres//shop:geheim@db.example/shop', /got a text that begins with "postgres\/\/"/],
])('refuses %s', (url, message) => {
  expect(() => readLocation(url, 'database', '/etc')).toThrow(message);
  expect(() => readLocation(url, 'database', '/etc')).not.toThrow(/geheim/);
});
