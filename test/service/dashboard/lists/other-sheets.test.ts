/** The other sheets of a workbook, from the upload to the download and the erasure. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { read, utils } from '@e965/xlsx';
import { expect, it } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { forgetResults } from '../../../../src/service/batch/batch-store.ts';
import { testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import type { Visitor } from '../../support/visitor.ts';
import { workbook } from '../../support/workbook.ts';
import { batchesOf, reviewList } from './world.ts';

const { db, run } = await testDatabase();

const THREE = readFileSync(join(import.meta.dirname, '../../lists/files/three-sheets.xlsx'));
const three = (bytes: Buffer = THREE) => ({ name: 'three.xlsx', bytes });

const filesOf = async () =>
  (await db.selectFrom('list_files').select('list_id').execute()).map(Object.values);

async function startWith(bytes?: Buffer, choices: Readonly<Record<string, string | null>> = {}) {
  const { visitor, person, id } = await reviewList(await startStoredService(db), db, three(bytes));
  const review = visitor.text;
  await visitor.press('Start', choices);
  // The figures have changed with the choices.
  if (visitor.status === 422) await visitor.press('Start');
  expect([visitor.status, visitor.text]).toEqual([303, '']);
  const [batch] = await batchesOf(db, person);
  return { visitor, id, review, batch: batch!.id, page: `/dashboard/batches/${batch!.id}` };
}

async function download(visitor: Visitor, page: string, query = '') {
  const { response } = await visitor.open(`${page}/download?columns=short&format=xlsx&${query}`);
  expect(response.statusCode).toBe(200);
  return read(response.rawPayload, { type: 'buffer', cellFormula: true });
}

const rowsIn = (book: ReturnType<typeof read>, name: string) =>
  utils.sheet_to_json<unknown[]>(book.Sheets[name]!, { header: 1, blankrows: true, raw: true });

it('adds the result to the rows of the sheet, below the title above the table, and says so before', async () => {
  const { visitor, review, page, id } = await startWith();
  expect(review).toContain(
    'The workbook has 2 other sheets. An XLSX download of all rows has them as they are, so the file is kept for as long as the results.',
  );
  expect(await filesOf()).toContainEqual([id]);
  const book = await download(visitor, page);
  const rows = rowsIn(book, 'List');
  expect(rows[0]).toEqual(['Members of the club']);
  expect(rows[2]!.slice(3)).toEqual(['Amount', 'state', 'reason', 'score', 'did_you_mean', 'duplicate']);
  expect(rows[5]!.slice(3, 6)).toEqual([14.5, 'not verified', 'has no @']);
  expect(book.Sheets.List!.D6!.f).toBe('D4+3.5');
  expect(book.Sheets.Summary!.B1!.f).toBe('SUM(Members[Amount])');
  await visitor.open(page);
  expect(visitor.text).toContain('As XLSX, all rows come in your workbook, with its 2 other sheets.');
});

it('gives a file of some rows one sheet', async () => {
  const { visitor, page } = await startWith();
  for (const query of ['for=send', 'state=deliverable'])
    expect((await download(visitor, page, query)).SheetNames).toEqual(['List']);
});

it('shows the hidden sheet that its owner has chosen, and keeps the workbook for it', async () => {
  const { visitor, person } = await reviewList(await startStoredService(db), db, three());
  await visitor.openLink('nav a', 'Archive');
  await visitor.press('Start');
  const [batch] = await batchesOf(db, person);
  const list = await db.selectFrom('lists').select('id').where('batch_id', '=', batch!.id).executeTakeFirst();
  expect(await filesOf()).toContainEqual([list!.id]);
  const book = await download(visitor, `/dashboard/batches/${batch!.id}`);
  expect(rowsIn(book, 'Archive').map((row) => row.slice(0, 2))).toEqual([
    ['Old address', 'state'],
    ['old@example.com', expect.any(String)],
    ['zoe@example.com', expect.any(String)],
  ]);
  expect(book.Workbook!.Sheets!.map(({ Hidden }) => Hidden)).toEqual([0, 0, 0]);
});

it('does not keep the workbook without titles, where those of the result would have no row', async () => {
  const { visitor, page, id } = await startWith(undefined, { titles: '' });
  expect(await filesOf()).not.toContainEqual([id]);
  await visitor.open(page);
  expect(visitor.text).toContain('one sheet, because the titles of the result need a row with titles.');
  expect((await download(visitor, page)).SheetNames).toEqual(['List']);
});

it('does not keep the workbook if cells become several rows', async () => {
  const List = [['Email'], ['a@example.com; b@example.com'], ['c@example.com']];
  const bytes = await workbook({ List, Other: [['x']] });
  const { visitor, page, id } = await startWith(bytes, { split: 'on', leave_out: null });
  expect(await filesOf()).not.toContainEqual([id]);
  const book = await download(visitor, page);
  expect(book.SheetNames).toEqual(['List']);
  const addresses = ['a', 'b', 'c'].map((name) => `${name}@example.com`);
  expect(rowsIn(book, 'List').map(([address]) => address)).toEqual(['Email', ...addresses]);
});

it.each([
  ['macros', { 'xl/vbaProject.bin': 'x' }, 'is a template, or has macros'],
  ['an embedded document', { 'xl/embeddings/letter.docx': 'x' }, 'is a template, or has macros'],
  ['two parts of one name', { 'XL/workbook.xml': '<x/>' }, 'is not written as spreadsheets write it'],
])('says before that %s leave the other sheets out', async (_, more, why) => {
  const bytes = await withParts(THREE, more);
  const { review, id, visitor, page } = await startWith(bytes);
  expect(review).toContain(`The workbook has 2 other sheets. The downloads have this one only, because`);
  expect(review).toContain(why);
  expect(await filesOf()).not.toContainEqual([id]);
  expect((await download(visitor, page)).SheetNames).toEqual(['List']);
});

async function withParts(bytes: Buffer, more: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true });
  const file = new ZipFile();
  for await (const entry of zip.eachEntry())
    file.addBuffer(await buffer(await zip.openReadStreamPromise(entry)), entry.fileName);
  for (const [name, text] of Object.entries(more)) file.addBuffer(Buffer.from(text), name);
  file.end();
  return buffer(file.outputStream as NodeJS.ReadableStream);
}

it.each([
  ['in a comment', 'DEE@example.com'],
  ['in a hidden sheet, in two fonts', 'zoe@example.com'],
  ['in the list', 'ada@example.com'],
])('finds an address %s, and erases it with the file', async (_, address) => {
  const { visitor, page, id } = await startWith();
  const settings = '/dashboard/settings/address';
  await visitor.open(settings);
  await visitor.press('Look up', { 'Email address': address });
  expect(visitor.text).toContain('The file of the workbook three.xlsx, which is kept for its other sheets.');
  await (await visitor.press('Erase the address')).follow();
  expect(visitor.text).toContain('1 kept workbook. The downloads of 1 workbook have one sheet now.');
  expect(await filesOf()).not.toContainEqual([id]);
  await visitor.open(page);
  expect(visitor.text).toContain('The file has one sheet, because an address of the workbook was erased.');
  expect((await download(visitor, page)).SheetNames).toEqual(['List']);
  await visitor.open(settings);
  await visitor.press('Look up', { 'Email address': address });
  expect(visitor.text).toContain('Your account has no data about this address.');
});

it('leaves the workbook as it is for an address that only looks like one of it', async () => {
  const { visitor, id } = await startWith();
  await visitor.open('/dashboard/settings/address');
  await visitor.press('Look up', { 'Email address': 'da@example.com' });
  expect(visitor.text).toContain('Your account has no data about this address.');
  expect(await filesOf()).toContainEqual([id]);
});

it('erases an address from the workbook of a draft, whichever of its sheets is shown', async () => {
  const { visitor, id } = await reviewList(await startStoredService(db), db, three());
  await visitor.open('/dashboard/settings/address');
  await visitor.press('Look up', { 'Email address': 'old@example.com' });
  await visitor.press('Erase the address');
  expect(await filesOf()).not.toContainEqual([id]);
  await visitor.open(`/dashboard/lists/${id}`);
  expect(visitor.text).toContain('The downloads have this one only, because an address of the workbook was');
});

it('counts the kept file as stored, and deletes it with the results', async () => {
  const { batch, id } = await startWith();
  const stored = db.selectFrom('batches').select('stored_entries').where('id', '=', batch);
  expect((await stored.executeTakeFirst())!.stored_entries).toBeGreaterThan(THREE.length / 320);
  await run`update batches set expires_at = clock_timestamp() where id = ${batch}`;
  await forgetResults(db);
  expect(await filesOf()).not.toContainEqual([id]);
});
