/** Row numbers on pages and in exports are those that the owner's spreadsheet shows. */
import { expect, it } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { arrive, type SentFile, type Visitor } from '../../support/visitor.ts';
import { workbook } from '../../support/workbook.ts';
import { cellsOf, texts } from '../batches/person.ts';
import { batchesOf, csv, NEW, upload } from './world.ts';

const { db, run } = await testDatabase();

const EMPTY = [null, null];
const PEOPLE = [
  ['Name', 'Email'],
  ['Ada', 'ada@example.com'],
  ['Bob', 'bob@example.com'],
];
const [TITLES, ADA, BOB] = PEOPLE as [string[], string[], string[]];

const bookOf = async (rows: Parameters<typeof workbook>[0][string]): Promise<SentFile> => ({
  name: 'people.xlsx',
  bytes: await workbook({ People: rows }),
});
const text = (name: string, ...lines: readonly string[]): SentFile => ({
  name,
  bytes: Buffer.from(lines.join('\n')),
});

/** Starts a test batch of an uploaded file, and opens its page. */
async function startBatch(file: SentFile) {
  const { visitor, person } = await arrive(await startStoredService(db), db);
  const list = await upload(visitor, file);
  return { visitor, list, ...(await start(visitor, person)) };
}

async function start(visitor: Visitor, person: Parameters<typeof batchesOf>[1]) {
  const titles = texts(visitor, '#titles option[selected]');
  await visitor.press('Start');
  expect([visitor.status, visitor.text]).toEqual([303, '']);
  const [batch] = await batchesOf(db, person);
  const page = `/dashboard/batches/${batch!.id}`;
  await visitor.open(page);
  return { page, titles };
}

const numbersOf = (visitor: Visitor) =>
  cellsOf(visitor, 'Each distinct address once, with the row of your file').map((cells) => cells.slice(0, 2));

it.each([
  [
    'a CSV with a title and empty lines',
    csv('Customers', '', 'Name,Email', 'Ada,ada@example.com', '', ' ,', '', 'Bob,bob@example.com', ''),
    ['Row 3: Name, Email'],
    ['4', '8'],
  ],
  [
    'a CSV with line ends within quotes, which are one row of a spreadsheet',
    csv('Note,Email', '"one\r\n\r\ntwo",ada@example.com', '', 'x,bob@example.com'),
    ['Row 1: Note, Email'],
    ['2', '4'],
  ],
  [
    'a CSV whose first line names the separator, which no spreadsheet shows',
    csv('sep=;', '', 'Name;Email', 'Ada;ada@example.com', 'Bob;bob@example.com'),
    ['Row 2: Name, Email'],
    ['3', '4'],
  ],
  [
    'a workbook with a title and empty rows',
    await bookOf([['Customers'], EMPTY, EMPTY, [null, ...TITLES], [null, ...ADA], EMPTY, [null, ...BOB]]),
    ['Row 4: Name, Email'],
    ['5', '7'],
  ],
  [
    'a plain list with empty lines, and two addresses on one of them',
    text('people.txt', '', 'ada@example.com, ada@example.com', '', '', 'bob@example.com'),
    [],
    ['2', '5'],
  ],
  ['a file without empty rows', csv(...PEOPLE.map(String)), ['Row 1: Name, Email'], ['2', '3']],
])('numbers the rows of %s as the file has them', async (_what, file, titles, numbers) => {
  const started = await startBatch(file);
  expect(started.titles).toEqual(titles);
  expect(numbersOf(started.visitor)).toEqual([
    [numbers[0], 'ada@example.com'],
    [numbers[1], 'bob@example.com'],
  ]);
});

it('numbers the lines of a pasted text', async () => {
  const { visitor, person } = await arrive(await startStoredService(db), db);
  const { action, sent } = (await visitor.open(NEW)).formOf('Use these addresses');
  const pasted = '\r\nada@example.com\r\n\r\nbob@example.com';
  await (await visitor.postParts(action, Object.entries({ ...sent, pasted }))).follow();
  await start(visitor, person);
  expect(numbersOf(visitor).map(([number]) => number)).toEqual(['2', '4']);
});

it('numbers the rows of the data about an address', async () => {
  const { visitor } = await startBatch(csv('Email', '', 'ada@example.com', '', 'bob@example.com'));
  await visitor.open('/dashboard/settings/address');
  await visitor.press('Look up', { 'Email address': 'bob@example.com' });
  expect(visitor.document.querySelectorAll('tbody')[1]!.textContent).toBe('customers.csv5bob@example.com');
  expect((await visitor.press('Export as JSON')).response.json()).toMatchObject({ list_rows: [{ row: 5 }] });
});

it('counts the rows of a list that an earlier version has stored', async () => {
  const { visitor, page, list } = await startBatch(
    csv('Email', '', 'ada@example.com', '', 'bob@example.com'),
  );
  await run`update list_rows set file_row = null where list_id = ${list}`;
  await visitor.open(page);
  expect(numbersOf(visitor).map(([number]) => number)).toEqual(['2', '3']);
});

it.each([
  [
    'a quotation mark',
    csv('Name,Email', '', 'Ada,ada@example.com', '', '"Bob,bob@example.com'),
    'A quotation mark in row 5',
  ],
  ['a long cell', csv('Email', '', 'ada@example.com', '', 'x'.repeat(40_000)), 'got 40,000 in row 5'],
  ['a long line', text('a.txt', 'ada@example.com', '', '', 'x'.repeat(40_000)), 'got 40,000 in row 4'],
])('names the row of %s that it refuses', async (_what, file, words) => {
  const { visitor } = await arrive(await startStoredService(db), db);
  await visitor.open(NEW);
  await visitor.upload('Upload', file);
  expect([visitor.status, visitor.text]).toEqual([422, expect.stringContaining(words)]);
});
