/** The embedded database from its first start on: real servers in real folders. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { startEmbedded } from '../../../../src/service/database/embedded/start.ts';

it('makes a missing folder, and keeps its rows for the next start', { timeout: 30_000 }, async () => {
  const parent = mkdtempSync(join(tmpdir(), 'embedded-test-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, 'missing', 'data');
  const first = await startEmbedded(folder);
  const client = new pg.Client(first.connection);
  await client.connect();
  await client.query('create table kept as select 1 as one');
  await client.end();
  await first.stop();
  const second = await startEmbedded(folder);
  onTestFinished(() => second.stop());
  const later = new pg.Client(second.connection);
  await later.connect();
  expect((await later.query('select one from kept')).rows).toEqual([{ one: 1 }]);
  expect((await later.query('show data_checksums')).rows).toEqual([{ data_checksums: 'on' }]);
  await later.end();
  expect(second.version).toMatch(/^18\.\d+$/);
  expect(statSync(join(folder, 'password')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toContain('README.txt');
  expect(readFileSync(join(folder, 'server.log'), 'utf8')).not.toContain('FATAL');
});
