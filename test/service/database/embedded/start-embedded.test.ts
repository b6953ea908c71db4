/** The first start of an embedded database and later ones, as root and as an ordinary user. */
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { inLong } from '../../../in-long.ts';
import {
  emptyRoom,
  freePath,
  isAlive,
  postmasterOf,
  preparedFolder,
  query,
  run,
  startHere,
} from './running.ts';

afterAll(emptyRoom);

it('makes a missing folder, and keeps its rows for the next start', async () => {
  const folder = join(freePath(), 'missing');
  const first = await startHere(folder);
  await query(first.connection, 'create table kept as select 1 as one');
  await first.stop();
  const second = await startHere(folder);
  expect(await query(second.connection, 'select one from kept')).toEqual([{ one: 1 }]);
  expect(second.version).toMatch(/^18\.\d+$/);
  expect(statSync(join(folder, 'password')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toContain('README.txt');
  expect(readFileSync(join(folder, 'server.log'), 'utf8')).not.toContain('FATAL');
});

it('keeps what it acknowledges, checks its pages, and listens on no network', async () => {
  const { connection } = await startHere(await preparedFolder());
  const safe = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', data_checksums: 'on' };
  for (const [name, value] of Object.entries({ ...safe, listen_addresses: '', max_connections: '60' }))
    expect(await query(connection, `show ${name}`)).toEqual([{ [name]: value }]);
  const stranger = query({ ...connection, password: 'wrong' }, 'select 1');
  await expect(stranger).rejects.toThrow('password authentication failed');
});

inLong('writes no value of a failed statement to its log', async () => {
  const folder = await preparedFolder();
  const { connection } = await startHere(folder);
  await query(connection, 'create table addresses (address text unique)');
  const insert = `insert into addresses values ('jane@company.example')`;
  await query(connection, insert);
  await expect(query(connection, insert)).rejects.toThrow('duplicate key');
  await expect(query(connection, `select 'jane@company.example'::int`)).rejects.toThrow('invalid input');
  expect(readFileSync(join(folder, 'server.log'), 'utf8')).not.toContain('jane');
});

inLong('stops once, and returns the same promise again', async () => {
  const folder = await preparedFolder();
  const { stop } = await startHere(folder);
  const server = postmasterOf(folder);
  const stopped = stop();
  expect(stop()).toBe(stopped);
  await stopped;
  expect(isAlive(server)).toBe(false);
});

inLong('starts with a path that is too long for a socket, and lets others find it', async () => {
  const long = join(await preparedFolder(), 'x'.repeat(100));
  mkdirSync(long);
  const first = await startHere(long);
  expect(first.connection.host.length).toBeLessThan(90);
  const visitor = await run('visit', long);
  expect(await visitor.until('ready')).toEqual(['ready', first.connection, first.version]);
});
