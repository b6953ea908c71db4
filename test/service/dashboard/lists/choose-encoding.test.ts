/** A file that does not say how its letters are encoded: its owner chooses another encoding, and the list is read again. */
import iconv from 'iconv-lite';
import { expect, it } from 'vitest';
import { eraseAddress } from '../../../../src/service/batch/stored-address/erase-address.ts';
import { forgetRows } from '../../../../src/service/lists/list-store.ts';
import { testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { arrive } from '../../support/visitor.ts';
import { batchesOf, csv, listOf, reviewList, rowsOf, signedIn, upload } from './world.ts';

const { db } = await testDatabase();

const LINES = [
  'Name;Email;Città',
  'Łukasz Żak;lukasz@example.com;Łódź',
  'Ada;ada@example.com;Kraków',
  'Grace;grace@example.com;Rome',
];
const NAME = 'customers.csv';
const fileIn = (codec: string, lines: readonly string[] = LINES) => ({
  name: NAME,
  bytes: iconv.encode(lines.join('\r\n'), codec),
});
/** Three letters are too few for the guess, which takes the usual encoding. */
const GREEK = fileIn('windows-1253', ['Name;Email', 'Ωρα;ora@example.com', 'Ada;ada@example.com']);

const piecesOf = async (id: string) =>
  (await db.selectFrom('list_files').select('number').where('list_id', '=', id).execute()).length;

it('shows the rows in each encoding that fits, and reads the list again in the chosen one', async () => {
  const { visitor, person, id } = await reviewList(await startStoredService(db), db, GREEK);
  expect(visitor.text).toContain('Greek (windows-1253)');
  expect(visitor.text).toContain('Ωρα');
  await visitor.press('Read the list again', { encoding: 'windows-1253' });
  expect([visitor.status, visitor.text]).toEqual([303, '']);
  const again = /lists\/([^?]+)/.exec(visitor.location!)![1]!;
  await visitor.follow();
  // The focus goes to it, so that screen readers say it.
  const said = 'The list was read again, in the encoding that you chose.';
  expect(visitor.document.querySelector('.done[autofocus]')?.textContent).toBe(said);
  expect(visitor.text).toContain('2 rows, read as windows-1253');
  expect(visitor.formOf('Read the list again').sent).toMatchObject({ encoding: 'windows-1253' });
  expect((await rowsOf(db, again)).map(([, cells]) => cells)).toEqual([
    ['Name', 'Email'],
    ['Ωρα', 'ora@example.com'],
    ['Ada', 'ada@example.com'],
  ]);
  // One draft is left, with the file, and it ends when the first one would have.
  expect(again).not.toBe(id);
  expect(await listOf(db, id)).toMatchObject({ account_id: null });
  expect([await piecesOf(id), await piecesOf(again)]).toEqual([0, 1]);
  await visitor.press('Start');
  const [batch] = await batchesOf(db, person);
  expect(await piecesOf(again)).toBe(0);
  expect((await listOf(db, again))!.findings).not.toHaveProperty('encodings');
  const { response } = await visitor.open(`/dashboard/batches/${batch!.id}/download?columns=short`);
  expect(response.headers['content-type']).toBe('text/csv; charset=windows-1253');
  expect(iconv.decode(response.rawPayload, 'windows-1253')).toContain('Ωρα;ora@example.com');
});

it('reads the lines of a file of UTF-8 that have another encoding in the chosen one', async () => {
  const { visitor } = await arrive(await startStoredService(db), db);
  const bytes = Buffer.concat([
    Buffer.from('Name;Email\nJürgen;j@example.com\nZoë;z@example.com\n'),
    iconv.encode('Ωρα;o@example.com\n', 'windows-1253'),
  ]);
  await upload(visitor, { name: NAME, bytes });
  await (await visitor.press('Read the list again', { encoding: 'windows-1253' })).follow();
  expect(visitor.text).toContain('read as UTF-8, except for 1 line in windows-1253');
  expect(visitor.text).toContain('Zoëz@example.com');
  expect(visitor.text).toContain('Ωραo@example.com');
});

it('reads a plain list again as a plain list', async () => {
  const lines = ['Ωρα, AE <ora@example.com>', 'ada@example.com'];
  const file = { ...fileIn('windows-1253', lines), name: 'list.txt' };
  const { visitor } = await reviewList(await startStoredService(db), db, file);
  await visitor.press('Read the list again', { encoding: 'windows-1253' });
  const again = /lists\/([^?]+)/.exec(visitor.location!)![1]!;
  expect((await rowsOf(db, again)).map(([, cells]) => cells)).toEqual(lines.map((line) => [line]));
});

it('offers no choice, and keeps no file, if the encoding is certain', async () => {
  const { visitor } = await arrive(await startStoredService(db), db);
  for (const file of [fileIn('utf8'), fileIn('utf16le'), csv('Email', 'ada@example.com')]) {
    const id = await upload(visitor, file);
    expect(visitor.text).not.toContain('Choose another encoding');
    expect(await piecesOf(id)).toBe(0);
    await visitor.press('Discard list');
  }
});

it('changes nothing for an encoding that was not offered, or for a list of somebody else', async () => {
  const service = await startStoredService(db);
  const { visitor, id } = await reviewList(service, db, GREEK);
  await visitor.press('Read the list again', { encoding: 'UTF-7' });
  expect(visitor.location).toBe(`/dashboard/lists/${id}`);
  const { person } = await arrive(service, db);
  const stranger = await signedIn(service, person);
  const { sent } = (await stranger.open('/dashboard/batches/new')).formOf('Upload');
  await stranger.post(`/dashboard/lists/${id}/encoding`, { ...sent, encoding: 'windows-1253' });
  expect(stranger.status).toBe(404);
  expect(await piecesOf(id)).toBe(1);
});

it('deletes the file with the draft, and when an address of it is erased', async () => {
  const { visitor, person } = await arrive(await startStoredService(db), db);
  const erased = await upload(visitor, GREEK);
  await eraseAddress(db, person.id, 'ora@example.com', { kind: 'owner', name: person.email });
  expect(await piecesOf(erased)).toBe(0);
  expect((await visitor.open(`/dashboard/lists/${erased}`)).text).not.toContain('Ωρα');
  const discarded = await upload(visitor, GREEK);
  await visitor.press('Discard list');
  while (await forgetRows(db));
  expect(await piecesOf(discarded)).toBe(0);
});

it('keeps no file that may have an erased address in another encoding', async () => {
  const { visitor, person } = await arrive(await startStoredService(db), db);
  const lines = ['Name;Email', 'Ada;Ωρα@example.com', 'Bo;bo@example.com'];
  const id = await upload(visitor, fileIn('windows-1253', lines));
  expect(visitor.formOf('Read the list again').sent).not.toMatchObject({ encoding: 'windows-1253' });
  await eraseAddress(db, person.id, 'ωρα@example.com', { kind: 'owner', name: person.email });
  expect(await piecesOf(id)).toBe(0);
  await (await visitor.press('Read the list again', { encoding: 'windows-1253' })).follow();
  expect(visitor.text).not.toContain('Ωρα');
  expect(visitor.has('Read the list again')).toBe(false);
});
