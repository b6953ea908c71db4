/** The archive alone: how it reads the database. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { openArchive } from '../../../../src/service/batch/download/archive.ts';
import { readPage } from '../../../../src/service/batch/download/download-store.ts';
import { inLong } from '../../../in-long.ts';
import { countRoundTrips } from '../../support/counted-database.ts';
import { testDatabase } from '../../support/database.ts';
import { makeBatch, makeLargeBatch } from './batches.ts';
import { READERS, unzip } from './readers.ts';

const database = await testDatabase();
const { db } = database;
const counted = countRoundTrips(database.url);
afterAll(() => counted.close());

const GOLDEN = resolve(import.meta.dirname, 'results.golden.csv');
const NASTY = [
  ...['=cmd|"/c calc"!A1@x.example', '+1@x.example', '-1@x.example', '@x.example', '"a,b"@x.example'],
  'line\nbreak\rand\r\nmore@x.example',
  'nul\0@x.example',
  'lone\ud800surrogate@x.example',
  '🙂@x.example',
  'שלום\u202e@x.example',
  '＝1@x.example',
  "'quoted'@x.example",
];

describe.each(READERS)('read by %s', (_, read) => {
  it('has every result, whatever is in its cells', async () => {
    const results = NASTY.map((email) => ({ email, user: email.split('@')[0]!, tag: null, free: true }));
    const { download } = await makeBatch(db, results, { responseFields: ['email', 'free', 'tag', 'user'] });
    const rows = await read(await buffer(openArchive(db, download)));
    const cell = (text: string) =>
      // UTF-8 has no lone surrogates.
      (/^[=+\-@＝]/.test(text) ? `'${text}` : text).replace('\ud800', '\ufffd');
    expect(rows).toEqual([
      ['email', 'free', 'tag', 'user'],
      ...results.map(({ email, user }) => [cell(email), 'true', '', cell(user)]),
    ]);
  });

  it('has every page once, in the order sent', async () => {
    const { download } = await makeLargeBatch(db, 2_345, { responseFields: ['user'] });
    const [, ...rows] = await read(await buffer(openArchive(db, download)));
    expect(rows.map(([user]) => user)).toEqual(Array.from({ length: 2_345 }, (_, place) => `user${place}`));
  });
});

it('is the golden file', async () => {
  const results = NASTY.map((email) => ({ email, accept_all: null, score: 0, mx_record: '' }));
  const { download } = await makeBatch(db, results);
  const { name, csv } = await unzip(await buffer(openArchive(db, download)));
  expect(name).toBe(`batch-${download.id}.csv`);
  expect(csv).toBe(readFileSync(GOLDEN, 'utf8'));
});

it('is the same each time', async () => {
  const { download } = await makeLargeBatch(db, 1_500);
  const [first, second] = await Promise.all([1, 2].map(() => buffer(openArchive(db, download))));
  expect(first!.equals(second!)).toBe(true);
});

describe('pages', () => {
  it('have a bounded size, and always a row', async () => {
    const long = 'x'.repeat(3_000);
    const { download } = await makeBatch(db, [{ user: long }, { user: long }, { user: 'b' }, { user: 'c' }]);
    const places = async (from: number, bytes: number, rows = 10) =>
      (await readPage(db, download.id, from, { rows, bytes })).map(({ place }) => place);
    expect(await places(0, 1)).toEqual([0]);
    expect(await places(1, 3_500)).toEqual([1, 2]);
    expect(await places(0, 100_000)).toEqual([0, 1, 2, 3]);
    expect(await places(0, 100_000, 3)).toEqual([0, 1, 2]);
    expect(await places(4, 100_000)).toEqual([]);
  });

  it('are one query each', async () => {
    const { download } = await makeLargeBatch(db, 3_000, { responseFields: ['user'] });
    counted.take();
    await buffer(openArchive(counted.db, download));
    expect(counted.take()).toHaveLength(3);
  });
});

/** Waits until nothing more fits. */
async function fill(archive: Readable): Promise<void> {
  archive.on('readable', () => {});
  while (archive.readableLength < archive.readableHighWaterMark) await once(archive, 'readable');
}

inLong('reads no further than the client does', async () => {
  const { download } = await makeLargeBatch(db, 2_000, { padding: 3_200 });
  counted.take();
  const archive = openArchive(counted.db, download);
  await fill(archive);
  // 13 MB of JSON are more than ten pages.
  expect(counted.take().length).toBeLessThanOrEqual(2);
  archive.removeAllListeners('readable');
  expect(await unzip(await buffer(archive))).toBeDefined();
  expect(counted.take().length).toBeGreaterThan(8);
});

it('ends with the client, and reads nothing more', async () => {
  const { download } = await makeLargeBatch(db, 2_000, { padding: 3_200 });
  const archive = openArchive(counted.db, download);
  await fill(archive);
  counted.take();
  archive.destroy();
  await once(archive, 'close');
  await sql`select 1`.execute(counted.db);
  expect(counted.take()).toEqual(['select 1']);
});

describe('fails before its end', () => {
  it.each([
    ['the results are deleted', 'batch_rows'],
    ['the account is deleted', 'accounts'],
  ])('when %s', async (_, table) => {
    const { id, accountId, download } = await makeLargeBatch(db, 2_000, { padding: 3_200 });
    const archive = openArchive(db, download);
    await fill(archive);
    if (table === 'accounts') await db.deleteFrom('accounts').where('id', '=', accountId).execute();
    else await db.deleteFrom('batch_rows').where('batch_id', '=', id).execute();
    archive.removeAllListeners('readable');
    await expect(buffer(archive)).rejects.toThrow('They were deleted');
  });

  it('when a result is missing', async () => {
    const { id, download } = await makeLargeBatch(db, 1_100);
    await db.deleteFrom('batch_rows').where('batch_id', '=', id).where('place', '=', 7).execute();
    await expect(buffer(openArchive(db, download))).rejects.toThrow('They were deleted');
  });

  it('when the database goes away', async () => {
    const { download } = await makeLargeBatch(db, 2_000, { padding: 3_200 });
    const away = database.connect(1);
    const archive = openArchive(away, download);
    await fill(archive);
    await away.destroy();
    archive.removeAllListeners('readable');
    await expect(buffer(archive)).rejects.toThrow();
  });
});
