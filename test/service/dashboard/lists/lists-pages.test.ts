/** From a file to a batch, as a person at a browser without scripts does it. */
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readAudit } from '../../../../src/service/audit/audit-store.ts';
import { eraseAddress } from '../../../../src/service/batch/stored-address/erase-address.ts';
import { forgetRows, MOST_DRAFT_BYTES } from '../../../../src/service/lists/list-store.ts';
import { unpackAll } from '../../../../src/service/lists/reading/unpack-zip.ts';
import { setAccountLimits } from '../../../../src/service/people/accounts/account-store.ts';
import { inLong } from '../../../in-long.ts';
import { creditsOf } from '../../support/account.ts';
import { countRoundTrips } from '../../support/counted-database.ts';
import { testDatabase } from '../../support/database.ts';
import { createScript, startServiceOfFile, startStoredService } from '../../support/stored-service.ts';
import { arrive, makePerson, Visitor } from '../../support/visitor.ts';
import { workbook } from '../../support/workbook.ts';
import { texts } from '../batches/person.ts';
import {
  addressesOf,
  batchesOf,
  csv,
  listOf,
  makeOlder,
  NEW,
  reviewList,
  rowsOf,
  signedIn,
  upload,
} from './world.ts';

const database = await testDatabase();
const { db, run } = database;

const LIST = csv(
  'Name;Email;Boss',
  'Ada;ada@example.com;boss@example.com',
  'Grace;GRACE@example.com;',
  'Nobody;;',
  'Twice;Grace <grace@example.com>;',
  'Wrong;n/a;',
);

const live = await startServiceOfFile(db, { verifier: createScript().verifier });

it('shows what is in a list before anything starts', async () => {
  const { visitor } = await reviewList(live, db, LIST, 60);
  for (const said of [
    'customers.csv: 5 rows, read as UTF-8',
    'Email 3 addresses of 5 rows',
    'Boss 1 address of 5 rows',
    '1 column without addressesName 0 addresses of 5 rows',
    'The first 5 rows of 5 NameEmailBoss Adaada@example.com',
    'Rows5 Addresses to verify2 Duplicates1 It costs nothing. Rows without an address1 Not an address1',
    'It stays out of the batch and costs nothing. The download says why, and marks it as not verified.“n/a” has no @.',
    'Leave out what is not an address Saves 1 credit.',
    'Ask again when a server gives a temporary answer Takes longer, and leaves fewer unknown results.',
    'Find out which domains accept every address Costs one more question to the mail servers of each domain, and no credit.',
    '2 of your 60 credits. Unknown results give their credits back.',
  ])
    expect(visitor.text).toContain(said);
  expect(visitor.formOf('Start').sent).toMatchObject({
    ...{ 'column-1': 'on', titles: '0', leave_out: 'on', retries: 'on', accept_all: 'on' },
    ...{ mode: 'live', url: '', name: 'customers.csv' },
  });
});

it('starts a live batch with its credits, places, name and a row of the audit log', async () => {
  const { visitor, person, id } = await reviewList(live, db, LIST, 60);
  await visitor.press('Start', {
    'Name of the batch': 'Autumn',
    'Callback URL (optional)': 'https://hooks.example/done',
  });
  const [batch] = await batchesOf(db, person);
  expect([visitor.status, visitor.location]).toEqual([303, `/dashboard/batches/${batch!.id}?done=begun`]);
  expect(batch).toMatchObject({
    ...{ name: 'Autumn', mode: 'live', total: 3, distinct_total: 2, retries: true },
    accept_all: true,
    url: 'https://hooks.example/done',
  });
  expect(await addressesOf(db, batch!.id)).toEqual([
    ['ada@example.com', 0],
    ['GRACE@example.com', 1],
  ]);
  expect(await rowsOf(db, id)).toEqual([
    [1, ['Ada', 'ada@example.com', 'boss@example.com'], 0],
    [2, ['Grace', 'GRACE@example.com'], 1],
    [3, ['Nobody'], null],
    [4, ['Twice', 'Grace <grace@example.com>'], 1],
    [5, ['Wrong', 'n/a'], null],
  ]);
  expect(await listOf(db, id)).toMatchObject({
    ...{ batch_id: batch!.id, name: 'Autumn', header: ['Name', 'Email', 'Boss'] },
    ...{ row_count: 5, address_column: 1 },
  });
  expect(await creditsOf(db, person.id)).toBe(58);
  expect(await readAudit(db, person.id, { limit: 5 })).toMatchObject([
    {
      ...{ actor: 'owner', actor_name: person.email, action: 'batch.create', subject_id: batch!.id },
      ...{ subject_name: 'Autumn', details: { mode: 'live', addresses: 2 } },
    },
  ]);
});

it('starts a test batch that costs nothing and has its results at once', async () => {
  const { visitor, person } = await reviewList(await startStoredService(db), db, LIST);
  expect(visitor.text).toContain('Free. The results are samples');
  expect(visitor.text).toContain('Live This server does not verify live batches.');
  await visitor.press('Start', { retries: null, accept_all: null });
  const [batch] = await batchesOf(db, person);
  expect(visitor.location).toBe(`/dashboard/batches/${batch!.id}?done=begun`);
  expect(batch).toMatchObject({ mode: 'test', retries: false, accept_all: false, url: null });
  expect(batch!.completed_at).not.toBeNull();
});

it('leads from a list that was started to its batch', async () => {
  const { visitor, person, id } = await reviewList(await startStoredService(db), db, LIST);
  const { action, sent } = visitor.formOf('Start');
  await visitor.press('Start');
  const [batch] = await batchesOf(db, person);
  const place = `/dashboard/batches/${batch!.id}`;
  expect((await visitor.open(`/dashboard/lists/${id}`)).location).toBe(place);
  expect((await visitor.post(action, sent)).location).toBe(place);
  expect((await visitor.post(`${action}/discard`, sent)).location).toBe(action);
  expect(await batchesOf(db, person)).toHaveLength(1);
});

inLong('goes through a list of any length, and shortens long texts', async () => {
  const { visitor, person } = await arrive(live, db, 10_000);
  const rows = Array.from({ length: 6_000 }, (_, row) => `u${row}@example.com,${'x'.repeat(90)}`);
  const id = await upload(visitor, csv(`Email,${'Title'.repeat(20)}`, ...rows));
  expect(visitor.text).toContain('6,000 of your 10,000 credits.');
  expect(visitor.text).toContain(`${'Title'.repeat(20).slice(0, 39)}…`);
  expect(visitor.text).toContain(`${'x'.repeat(39)}…`);
  await visitor.press('Start');
  const [batch] = await batchesOf(db, person);
  expect(await addressesOf(db, batch!.id)).toHaveLength(6_000);
  expect((await rowsOf(db, id)).every(([number, , place]) => place === (number as number) - 1)).toBe(true);
});

describe('a workbook with several sheets', () => {
  const book = async () => ({
    name: 'people.xlsx',
    bytes: await workbook({
      Old: [['Email'], ['old@example.com'], ['older@example.com']],
      Notes: [['no address']],
      New: [['Email'], ['new@example.com']],
    }),
  });
  const draftsLeft = (id: string) =>
    db.selectFrom('lists').select(['id', 'batch_id']).where('account_id', '=', id).execute();

  it('counts as one list, and each sheet with addresses has a review of its own', async () => {
    const { visitor, person } = await reviewList(live, db, await book(), 60);
    expect(visitor.text).toContain('The workbook has 2 sheets with addresses.');
    expect(visitor.text).toContain('Old 2 addresses of 2 rowsNew 1 address of 1 row');
    await visitor.openLink('nav[aria-label=Sheets] a:not([aria-current])');
    expect(visitor.text).toContain('people.xlsx: 1 row of the sheet New');
    await visitor.press('Start');
    const [batch] = await batchesOf(db, person);
    expect(await addressesOf(db, batch!.id)).toEqual([['new@example.com', 0]]);
    // The other sheet is gone.
    expect(await draftsLeft(person.id)).toMatchObject([{ batch_id: batch!.id }]);
  });

  it('is discarded as a whole', async () => {
    const { visitor, person } = await reviewList(live, db, await book(), 60);
    expect((await visitor.open(NEW)).text.match(/people\.xlsx/g)).toHaveLength(1);
    await visitor.openLink('a[href*="/dashboard/lists/"]');
    await visitor.press('Discard list');
    expect(await draftsLeft(person.id)).toEqual([]);
    while (await forgetRows(db));
  });

  it('makes one batch of starts of two sheets at once', async () => {
    const { visitor, person, id } = await reviewList(live, db, await book(), 60);
    const { action, sent } = visitor.formOf('Start');
    const [other] = (await draftsLeft(person.id)).filter((draft) => draft.id !== id);
    const second = await signedIn(live, person);
    await second.open(`/dashboard/lists/${other!.id}`);
    await Promise.all([visitor.post(action, sent), second.press('Start')]);
    expect([visitor.status, second.status].sort()).toEqual([303, 404]);
    expect(await batchesOf(db, person)).toHaveLength(1);
  });
});

describe('a list with several columns of addresses', () => {
  const file = csv(
    'Name,Work,Home',
    'Ada,ada@work.example,ada@home.example',
    'Bob,,bob@home.example',
    'Cy,ada@work.example,n/a',
  );

  it('says how many can be ticked where it has more', async () => {
    const wide = csv('', Array.from({ length: 11 }, (_, column) => `c${column}@example.com`).join(','));
    const { visitor, person } = await reviewList(await startStoredService(db), db, wide, 60);
    expect(visitor.text).toContain('Tick each that you want to verify, 10 at most. An address costs once');
    const all = Array.from({ length: 11 }, (_, column) => [`column-${column}`, 'on']);
    const said = 'Expected at most 10 columns with addresses, got 11. Untick 1 of them.';
    const ticked = () => visitor.document.querySelectorAll('input[name^="column-"][checked]').length;
    for (const button of ['Update the figures', 'Start']) {
      await visitor.press(button, { ...Object.fromEntries(all), 'Name of the batch': 'Mine' });
      expect([visitor.status, ticked(), visitor.valueOf('Name of the batch')]).toEqual([422, 11, 'Mine']);
      expect(visitor.document.querySelector('.problem[tabindex="-1"]')?.textContent).toContain(said);
      // The script of the page renews this part.
      expect(visitor.document.getElementById('cost')?.textContent).toContain(said);
    }
    expect(await batchesOf(db, person)).toEqual([]);
    await visitor.press('Update the figures', { 'column-3': null });
    expect([visitor.status, ticked(), visitor.document.querySelector('.problem')]).toEqual([200, 10, null]);
  });

  it('is verified once for all that are ticked, and each address costs once', async () => {
    const { visitor, person } = await reviewList(await startStoredService(db), db, file, 60);
    expect(visitor.text).toContain('Tick each that you want to verify. An address costs once');
    await visitor.press('Update the figures', { 'column-1': 'on', 'column-2': 'on' });
    expect(visitor.text).toContain('Addresses to verify3 Duplicates1 It costs nothing.');
    await visitor.press('Start');
    const [batch] = await batchesOf(db, person);
    expect((await visitor.follow()).text).toContain('The batch was started.');
    const { response } = await visitor.open(`/dashboard/batches/${batch!.id}/download?columns=short`);
    const lines = response.body.trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'Name,Work,Home,Work state,Work reason,Work score,Work did_you_mean,Work duplicate,Home state,Home reason,Home score,Home did_you_mean,Home duplicate',
    );
    const cells = lines.slice(1).map((line) => line.split(','));
    expect(
      cells.map((row) => [row[0], row[3] === 'not verified', row[7], row[8] === 'not verified']),
    ).toEqual([
      ['Ada', false, 'false', false],
      ['Bob', true, 'false', false],
      ['Cy', false, 'true', true],
    ]);
    expect(cells[2]![9]).toBe('has no @');
    await visitor.open(`/dashboard/batches/${batch!.id}`);
    const said = 'The list has 3 rows with 4 addresses. 1 is a duplicate and cost nothing.';
    expect(visitor.text).toContain(said);
    // "Ada" is among those to send to although only one of her addresses may be.
    expect(visitor.text).toContain('A row of your list can have several addresses.');
  });

  it('is offered as files for what comes next, with few columns after its own', async () => {
    const { visitor, person } = await reviewList(await startStoredService(db), db, file, 60);
    await visitor.press('Start', { 'column-1': 'on', 'column-2': 'on', mode: 'test' });
    const [batch] = await batchesOf(db, person);
    await visitor.open(`/dashboard/batches/${batch!.id}`);
    const { response } = await visitor.openLink('#next a');
    // No second column has addresses, which the program that imports the file could take for them.
    expect(response.body.split('\r\n')[0]).toBe(
      'Name,Work,Home,Work state,Work reason,Work score,Work did_you_mean,Work duplicate,Home state,Home reason,Home score,Home did_you_mean,Home duplicate',
    );
  });

  it('has only rows in a filtered download of which an address matches', async () => {
    const { visitor, person } = await reviewList(await startStoredService(db), db, file, 60);
    await visitor.press('Start', { 'column-1': 'on', 'column-2': 'on', mode: 'test' });
    const [batch] = await batchesOf(db, person);
    const { response } = await visitor.open(`/dashboard/batches/${batch!.id}/download?q=home.example`);
    expect(response.body.match(/^\w+/gm)).toEqual(['Name', 'Ada', 'Bob']);
  });

  it('loses its rows with an address that is erased, whichever column it is in', async () => {
    const { visitor, person, id } = await reviewList(await startStoredService(db), db, file, 60);
    await visitor.press('Start', { 'column-1': 'on', 'column-2': 'on', mode: 'test' });
    const owner = { kind: 'owner', name: person.email } as const;
    await eraseAddress(db, person.id, 'bob@home.example', owner);
    const names = (await rowsOf(db, id)).map(([, cells]) => (cells as string[])[0]);
    expect(names).toEqual(['Ada', undefined, 'Cy']);
  });
});

it('splits cells with several addresses if the owner wants that, and gives each a row', async () => {
  const file = csv('Name;Email', 'Ada;a@x.example, b@x.example', 'Bob;b@x.example');
  const { visitor, person } = await reviewList(await startStoredService(db), db, file, 60);
  expect(visitor.text).toContain('Split cells with several addresses 1 cell has several.');
  expect(visitor.text).toContain('has several addresses. You can split such cells under Options.');
  await visitor.press('Update the figures', { split: 'on' });
  expect(visitor.text).toContain('Addresses to verify2 Duplicates1');
  await visitor.press('Start');
  const [batch] = await batchesOf(db, person);
  const { response } = await visitor.open(`/dashboard/batches/${batch!.id}/download?columns=short`);
  const lines = response.body.trimEnd().split('\r\n');
  const cells = lines.map((line) => line.split(';'));
  expect(cells.map((row) => [row[0], row[1], row.at(-1)])).toEqual([
    ['Name', 'Email', 'duplicate'],
    ['Ada', 'a@x.example', 'false'],
    ['Ada', 'b@x.example', 'false'],
    ['Bob', 'b@x.example', 'true'],
  ]);
});

it('leaves out rows that the spreadsheet hides, if the owner wants that', async () => {
  const { visitor, person } = await arrive(live, db, 60);
  const cell = (place: string, text: string) => `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const sheet = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1">${cell('A1', 'Email')}</row><row r="2" hidden="1">${cell('A2', 'a@x.example')}</row><row r="3">${cell('A3', 'b@x.example')}</row></sheetData></worksheet>`;
  await upload(visitor, { name: 'list.xlsx', bytes: await workbook({ One: sheet }) });
  const said = 'Hidden rows1 The sheet hides them, as a filter does. They are part of the batch.';
  expect(visitor.text).toContain(said);
  await visitor.press('Update the figures', { leave_out_hidden: 'on' });
  expect(visitor.text).toContain('They stay out of the batch.');
  await visitor.press('Start');
  const [batch] = await batchesOf(db, person);
  expect(await addressesOf(db, batch!.id)).toEqual([['b@x.example', 0]]);
  await visitor.open(`/dashboard/batches/${batch!.id}`);
  // Its address is one.
  expect(visitor.text).toContain('The list has 2 rows. 1 row was left out.');
});

it('starts a draft of the version before, whose titles are not a row', async () => {
  const { visitor, person, id } = await reviewList(live, db, csv('Email', 'a@x.example'), 60);
  await db.deleteFrom('list_rows').where('list_id', '=', id).where('number', '=', 0).execute();
  await run`update lists set findings = '{"encoding": "UTF-8", "addresses": [1], "longest": [11]}' where id = ${id}`;
  await visitor.open(`/dashboard/lists/${id}`);
  expect(visitor.text).toContain('customers.csv: 1 row, read as UTF-8');
  expect((await visitor.press('Update the figures', { titles: '' })).text).toContain('Not an address1');
  await visitor.press('Start', { titles: '0' });
  await visitor.press('Start');
  const [batch] = await batchesOf(db, person);
  expect(await addressesOf(db, batch!.id)).toEqual([['a@x.example', 0]]);
  expect(await rowsOf(db, id)).toEqual([[1, ['a@x.example'], 0]]);
});

describe('what the owner chooses', () => {
  it('updates the figures for another column', async () => {
    const { visitor } = await reviewList(live, db, LIST, 60);
    await visitor.press('Update the figures', {
      ...{ 'column-1': null, 'column-2': 'on', 'Name of the batch': 'Bosses', mode: 'test' },
    });
    expect(visitor.status).toBe(200);
    const said = 'Addresses to verify1 Duplicates0 Rows without an address4 Not an address0';
    expect(visitor.text).toContain(said);
    expect(visitor.formOf('Start').sent).toMatchObject({ 'column-2': 'on', name: 'Bosses', mode: 'test' });
  });

  it('takes the titles for data, and has them in the download then', async () => {
    const file = csv('boss,x', 'ada@example.com,1', 'bob@example.com');
    const { visitor, person, id } = await reviewList(live, db, file, 60);
    await visitor.press('Update the figures', { titles: '', leave_out: null });
    expect(visitor.text).toContain('Column 1 2 addresses of 3 rows');
    expect(visitor.text).toContain(
      'Not an address1 It is part of the batch, costs a credit and gets the result “Not an address”.“boss” has no @.',
    );
    await visitor.press('Start');
    const [batch] = await batchesOf(db, person);
    expect(await addressesOf(db, batch!.id)).toEqual([
      ['boss', 0],
      ['ada@example.com', 0],
      ['bob@example.com', 0],
    ]);
    expect(await rowsOf(db, id)).toEqual([
      [0, ['boss', 'x'], 0],
      [1, ['ada@example.com', '1'], 1],
      [2, ['bob@example.com'], 2],
    ]);
    expect(await listOf(db, id)).toMatchObject({ header: null, row_count: 3 });
  });

  it.each([
    [['boss'], '1 It is part of the batch and gets'],
    [['boss', 'chief'], '2 They are part of the batch and get'],
  ])('names no cost in a free batch of %j, which is not an address', async (wrong, words) => {
    const { visitor } = await reviewList(live, db, csv('email', ...wrong, 'ada@example.com'), 60);
    await visitor.press('Update the figures', { leave_out: null, mode: 'test' });
    expect(visitor.text).toContain(`Not an address${words} the result “Not an address”.“boss” has no @`);
    expect(visitor.text).toContain('Free.');
  });

  it('takes the first row for titles', async () => {
    const file = csv('a@example.com', 'b@example.com,x', 'c@example.com');
    const { visitor, person, id } = await reviewList(live, db, file, 60);
    expect(visitor.formOf('Start').sent).toMatchObject({ titles: '' });
    await visitor.press('Update the figures', { titles: '0' });
    expect(visitor.text).toContain('a@example.com 2 addresses of 2 rows');
    await visitor.press('Start');
    const [batch] = await batchesOf(db, person);
    expect(await addressesOf(db, batch!.id)).toHaveLength(2);
    expect(await listOf(db, id)).toMatchObject({ header: ['a@example.com', ''], row_count: 2 });
    expect(await rowsOf(db, id)).toEqual([
      [1, ['b@example.com', 'x'], 0],
      [2, ['c@example.com'], 1],
    ]);
  });

  it('keeps the only row as data', async () => {
    const { visitor } = await reviewList(live, db, csv('a@example.com'), 60);
    await visitor.press('Update the figures', { titles: '0' });
    expect(visitor.text).toContain('Addresses to verify1');
  });

  it.each([
    ['another column', { 'column-1': null, 'column-2': 'on' }],
    ['no titles', { titles: '' }],
    ['all entries', { leave_out: null }],
  ])('starts nothing for figures that were for something else than %s', async (_what, fields) => {
    const { visitor, person } = await reviewList(live, db, LIST, 60);
    await visitor.press('Start', fields);
    expect([visitor.status, await batchesOf(db, person)]).toEqual([422, []]);
    expect(visitor.text).toContain('so the batch was not started. Check the figures, then start it again.');
    await visitor.press('Start');
    expect([visitor.status, (await batchesOf(db, person)).length]).toEqual([303, 1]);
  });

  it.each([
    ['a test', { mode: 'test' }, 'test', 2],
    ['fewer entries', { leave_out: 'on' }, 'live', 2],
  ])('starts %s at once, because it costs less than what was shown', async (_what, fields, mode, count) => {
    const { visitor, person } = await reviewList(live, db, LIST, 60);
    if ('leave_out' in fields) await visitor.press('Update the figures', { leave_out: null });
    expect((await visitor.press('Start', fields)).status).toBe(303);
    expect(await batchesOf(db, person)).toMatchObject([{ mode, distinct_total: count }]);
  });

  it.each([
    ['titles that are not one of the first rows', { titles: '50' }],
    ['titles that are no number', { titles: 'x' }],
    ['another mode', { mode: 'free' }],
  ])('refuses %s', async (_what, fields) => {
    const { visitor } = await reviewList(live, db, LIST, 60);
    expect((await visitor.press('Start', fields)).status).toBe(400);
  });
});

/** A workbook whose own description is changed. */
async function changedWorkbook(sheets: Parameters<typeof workbook>[0], from: string, to: string) {
  const { read } = await unpackAll(await workbook(sheets));
  return workbook(sheets, { 'xl/workbook.xml': `${read('xl/workbook.xml')}`.replaceAll(from, to) });
}

describe('a workbook', () => {
  it('with more sheets than are read says how many are not, and offers the one in front', async () => {
    const { visitor } = await arrive(live, db, 60);
    const sheets = Object.fromEntries(
      Array.from({ length: 22 }, (_, index) => [`Sheet ${index + 1}`, [[`a${index + 1}@example.com`]]]),
    );
    const view = '<bookViews><workbookView activeTab="21"/></bookViews><sheets>';
    await upload(visitor, { name: 'many.xlsx', bytes: await changedWorkbook(sheets, '<sheets>', view) });
    expect(visitor.text).toContain('1 row of the sheet Sheet 22');
    expect(visitor.text).toContain(
      'These are the first 20 sheets with addresses, and the one that was in front. 1 other sheet was not read.',
    );
  });

  it('whose addresses are all hidden warns before it is started', async () => {
    const { visitor } = await arrive(live, db, 60);
    const sheets = { Hidden: [['ada@example.com']], Notes: [['nothing']] };
    const bytes = await changedWorkbook(sheets, 'sheetId="1"', 'sheetId="1" state="hidden"');
    await upload(visitor, { name: 'hidden.xlsx', bytes });
    expect(visitor.text).toContain('No visible sheet of the workbook has an email address.');
  });
});

describe('what stands against a start', () => {
  it('says how many credits are missing, and keeps the list', async () => {
    const { visitor, person } = await reviewList(live, db, LIST, 1);
    // Sample results in place of real ones would look like these.
    expect(visitor.formOf('Start').sent).toMatchObject({ mode: 'live' });
    const said = '2 of your 1 credit. 1 credit is missing. Ask the operator of this service for more.';
    expect(visitor.text).toContain(said);
    await visitor.press('Start', { 'Name of the batch': 'Kept' });
    expect(visitor.status).toBe(422);
    expect(visitor.text).toContain(
      '1 credit is missing: the batch needs 2 credits, and you have 1 credit. The batch was not started, and the list is kept. Ask the operator of this service for more.',
    );
    expect(visitor.valueOf('Name of the batch')).toBe('Kept');
    expect([await batchesOf(db, person), await creditsOf(db, person.id)]).toEqual([[], 1]);
  });

  it('says that a payment for the missing credits is in progress', async () => {
    const { visitor, person } = await arrive(live, db, 1);
    const payment = { id: `of ${person.id}`, account: person.id, needed: 2 };
    await db.insertInto('payments').values(payment).execute();
    await upload(visitor, LIST);
    expect(visitor.text).toContain('1 credit is missing. A payment is in progress.');
  });

  it('asks billing, and says what it answers', async () => {
    const billing = { ask: async () => ({ kind: 'refused', message: 'Your card has expired.' }) as const };
    const service = await startStoredService(db, { verifier: createScript().verifier, billing });
    const { visitor } = await reviewList(service, db, LIST);
    expect((await visitor.press('Start')).text).toContain('Your card has expired. The batch was not started');
  });

  it('says what is wrong with the callback URL, and keeps what was typed', async () => {
    const { visitor, person } = await reviewList(live, db, LIST, 60);
    await visitor.press('Start', { 'Callback URL (optional)': 'http://127.0.0.1/hook' });
    expect(visitor.status).toBe(422);
    expect(visitor.text).toContain('Expected the callback URL to be a URL on a public IP address.');
    expect(visitor.document.getElementById('url')?.getAttribute('aria-invalid')).toBe('true');
    expect(visitor.valueOf('Callback URL (optional)')).toBe('http://127.0.0.1/hook');
    expect(await batchesOf(db, person)).toEqual([]);
  });

  it('takes no more addresses than the account may have in a batch', async () => {
    const { visitor, person } = await arrive(live, db, 60);
    await setAccountLimits(db, person.id, { batch_size: 2 });
    await upload(visitor, LIST);
    const said = 'Expected at most 2 addresses in a batch, got 3. Split the list';
    expect(visitor.text).toContain(said);
    await visitor.press('Start');
    expect([visitor.status, await batchesOf(db, person)]).toEqual([422, []]);
    expect(visitor.text).toContain(said);
    expect((await visitor.open(NEW)).text).toContain('Your batches can have up to 2 addresses.');
  });

  it('starts nothing without an address', async () => {
    const { visitor } = await reviewList(live, db, LIST, 60);
    await visitor.press('Update the figures', { 'column-0': 'on', 'column-1': null });
    expect(visitor.text).toContain('What you chose has no addresses to verify.');
    await visitor.press('Start');
    expect(visitor.status).toBe(422);
    expect(visitor.text).toContain('What you chose has no addresses');
  });

  it('starts no live batch while none can be verified', async () => {
    const isPortClosed = () => true;
    const service = await startStoredService(db, { verifier: createScript().verifier, isPortClosed });
    const { visitor, person } = await reviewList(service, db, LIST, 60);
    await visitor.press('Start');
    const said = 'cannot reach any mail server at the moment, so the batch was not started';
    expect(visitor.text).toContain(said);
    const other = await signedIn(await startStoredService(db), person);
    await other.open(visitor.document.querySelector('#review')!.getAttribute('action')!);
    await other.press('Start', { mode: 'live' });
    expect(other.text).toContain('does not verify live batches, so the batch was not started');
    expect(await batchesOf(db, person)).toEqual([]);
  });
});

describe('drafts', () => {
  it('waits for its start, and can be discarded', async () => {
    const { visitor, id } = await reviewList(await startStoredService(db), db, LIST);
    const said = 'Lists that are not started yet customers.csv 5 rows, kept until';
    expect((await visitor.open(NEW)).text).toContain(said);
    await visitor.open(`/dashboard/lists/${id}`);
    await (await visitor.press('Discard list')).follow();
    expect(visitor.text).toContain('The list was discarded.');
    expect((await visitor.open(`/dashboard/lists/${id}`)).status).toBe(404);
    expect((await visitor.open(NEW)).text).not.toContain('not started yet');
    // The housekeeping deletes its rows a few at a time, because it may have a million.
    expect(await listOf(db, id)).toMatchObject({ account_id: null });
    while (await forgetRows(db, 2));
    expect([await listOf(db, id), await rowsOf(db, id)]).toEqual([undefined, []]);
  });

  it('refuses a sixth list, and leaves the others as they are', async () => {
    const { visitor } = await arrive(await startStoredService(db), db);
    const ids: string[] = [];
    const { action, sent } = (await visitor.open(NEW)).formOf('Upload');
    expect(texts(visitor, '#room')).toEqual([
      'A list waits 24 hours for its start, and 5 lists with 160 MiB together can wait at a time.',
    ]);
    for (let count = 0; count < 5; count += 1) {
      ids.push(await upload(visitor, LIST));
      if (count > 0) continue;
      await visitor.open(NEW);
      expect(texts(visitor, '#room')[0]).toMatch(/1 of them waits at the moment\.$/);
    }
    expect(texts(visitor, '#room')).toEqual([]);
    await visitor.open(NEW);
    const full = '5 lists are waiting to be started, which is the maximum.';
    // Said before an upload, which would be in vain.
    expect(visitor.text).toContain(`${full} Start or discard one of the lists below first.`);
    expect([visitor.has('Upload'), visitor.has('Use these addresses')]).toEqual([false, false]);
    for (const id of ids)
      expect(visitor.document.querySelector(`a[href="/dashboard/lists/${id}"]`)).not.toBeNull();
    // The page was open in another tab.
    await visitor.postParts(action, [...Object.entries(sent), ['file', LIST]]);
    expect(visitor.status).toBe(422);
    expect(visitor.text).toContain(`${full} This list was not stored.`);
    await visitor.postParts(action, Object.entries({ ...sent, pasted: 'ada@example.com' }));
    expect([visitor.status, visitor.valueOf('Addresses')?.trim()]).toEqual([422, 'ada@example.com']);
    expect(await Promise.all(ids.map((id) => listOf(db, id)))).not.toContain(undefined);
    await visitor.open(`/dashboard/lists/${ids[0]}`);
    await visitor.press('Discard list');
    await upload(visitor, LIST);
  });

  it('refuses another list when those that wait have as many bytes as the largest', async () => {
    const { visitor, id } = await reviewList(await startStoredService(db), db, LIST);
    const { action, sent } = (await visitor.open(NEW)).formOf('Upload');
    await db.updateTable('lists').set({ bytes: MOST_DRAFT_BYTES }).where('id', '=', id).execute();
    await visitor.postParts(action, [...Object.entries(sent), ['file', LIST]]);
    const said =
      '160 MiB of lists are waiting to be started, which is the maximum. This list was not stored.';
    expect([visitor.status, visitor.text]).toEqual([422, expect.stringContaining(said)]);
    await run`update lists set bytes = bytes - 1 where id = ${id}`;
    await upload(visitor, LIST);
  });

  it('is there for a day', async () => {
    const { visitor, person, id } = await reviewList(await startStoredService(db), db, LIST);
    const { action, sent } = visitor.formOf('Start');
    await makeOlder(db, id, 24 * 60 - 1);
    expect((await visitor.open(`/dashboard/lists/${id}`)).status).toBe(200);
    await makeOlder(db, id, 1);
    expect((await visitor.open(`/dashboard/lists/${id}`)).status).toBe(404);
    expect((await visitor.post(action, sent)).status).toBe(404);
    expect((await visitor.post(`${action}/discard`, sent)).status).toBe(404);
    expect(await batchesOf(db, person)).toEqual([]);
  });

  it('belongs to its account', async () => {
    const service = await startStoredService(db);
    const { id } = await reviewList(service, db, LIST);
    const { visitor: other, person } = await arrive(service, db);
    await upload(other, LIST);
    const { sent } = other.formOf('Start');
    const path = `/dashboard/lists/${id}`;
    for (const response of [
      await other.open(path),
      await other.open('/dashboard/lists/0123456789abcdef01234567'),
      await other.open('/dashboard/lists/x'),
      await other.post(path, { ...sent, act: 'start' }),
      await other.post(`${path}/discard`, sent),
    ]) {
      expect([response.status, response.text]).toEqual([404, expect.stringContaining('has no such list')]);
      const said = 'Lists that you do not start are deleted after 24 hours. Upload it again';
      expect(response.text).toContain(said);
    }
    expect(await batchesOf(db, person)).toEqual([]);
    expect(await listOf(db, id)).toBeDefined();
  });
});

describe('uploads', () => {
  it('takes what is pasted', async () => {
    const { visitor } = await arrive(await startStoredService(db), db);
    const { action, sent } = (await visitor.open(NEW)).formOf('Use these addresses');
    const pasted = 'Ada <ada@example.com>, b@example.com';
    await (await visitor.postParts(action, Object.entries({ ...sent, pasted }))).follow();
    expect(visitor.text).toContain('Pasted list: 2 rows');
    expect(visitor.text).toContain('Addresses to verify2');
  });

  it('shows a pasted text again that holds no address', async () => {
    const { visitor } = await arrive(await startStoredService(db), db);
    const { action, sent } = (await visitor.open(NEW)).formOf('Use these addresses');
    await visitor.postParts(action, Object.entries({ ...sent, pasted: '\n<b>nothing' }));
    expect(visitor.status).toBe(422);
    expect(visitor.document.title).toBe('List not read – Dashboard – Email verification');
    expect(visitor.text).toContain(
      'We found no email address in this text, so it was not stored. It has only 1 row: “<b>nothing”.',
    );
    // The first line break of a text area is the markup's.
    expect(visitor.valueOf('Addresses')).toContain('<b>nothing');
    expect(visitor.document.getElementById('pasted')?.getAttribute('aria-invalid')).toBe('true');
  });

  it('does not send a pasted text of megabytes back, whose marks would take six times as much', async () => {
    const { visitor } = await arrive(await startStoredService(db), db);
    const { action, sent } = (await visitor.open(NEW)).formOf('Use these addresses');
    await visitor.postParts(action, Object.entries({ ...sent, pasted: "'".repeat(1024 * 1024) }));
    expect(visitor.status).toBe(422);
    expect(visitor.response.body.length).toBeLessThan(20_000);
    expect(visitor.text).toContain('The text is too long to be shown again. Paste it once more.');
    expect(visitor.document.getElementById('pasted')?.getAttribute('aria-invalid')).toBe('true');
    expect(visitor.document.getElementById('file')?.getAttribute('aria-invalid')).toBeNull();
  });

  inLong('reads long cells a few at a time, so that a list of them fills no memory', async () => {
    const counted = countRoundTrips(database.url);
    onTestFinished(counted.close);
    const { visitor } = await arrive(await startStoredService(counted.db), db);
    const rows = Array.from({ length: 300 }, (_, row) => `${row}@example.com,${'x'.repeat(30_000)}`);
    const id = await upload(visitor, csv('Email,Note', ...rows));
    const reads = () => counted.take().filter((statement) => /cells ->/.test(statement)).length;
    reads();
    await visitor.open(`/dashboard/lists/${id}`);
    expect(reads()).toBe(1);
    await visitor.press('Update the figures', { 'column-0': null, 'column-1': 'on' });
    // 140 rows of 30,000 characters in each.
    expect(reads()).toBe(3);
  });

  it('reads a workbook, and names its sheet', async () => {
    const { visitor } = await arrive(await startStoredService(db), db);
    const bytes = await workbook({ 'Kunden <2026>': [['Email'], ['ada@example.com']] });
    await upload(visitor, { name: 'Kunden Übersicht.xlsx', bytes });
    expect(visitor.text).toContain('Kunden Übersicht.xlsx: 1 row of the sheet Kunden <2026>');
  });

  it('says what was expected of a file that is no list', async () => {
    const { visitor } = await arrive(await startStoredService(db), db);
    await visitor.open(NEW);
    await visitor.upload('Upload', { name: 'x.csv', bytes: Buffer.from('%PDF-1.7') });
    expect([visitor.status, visitor.text]).toEqual([422, expect.stringContaining('got a PDF')]);
    await visitor.upload('Upload', { name: '', bytes: Buffer.alloc(0) });
    expect(visitor.text).toContain('Choose a file, or paste addresses.');
    expect(visitor.document.getElementById('file')?.getAttribute('aria-invalid')).toBe('true');
  });

  it('refuses a file that is too large without reading it', async () => {
    const { visitor } = await arrive(await startStoredService(db), db);
    await visitor.open(NEW);
    const headers = { 'content-length': String(110 * 1024 * 1024) };
    await visitor.upload('Upload', LIST, { headers });
    expect([visitor.status, visitor.text]).toEqual([422, expect.stringContaining('at most 100 MiB')]);
  });

  it('takes nothing of a form that is not the own one', async () => {
    const service = await startStoredService(db);
    const { visitor, person } = await arrive(service, db);
    const { action, sent } = (await visitor.open(NEW)).formOf('Upload');
    const file: [string, typeof LIST] = ['file', LIST];
    const forged = Object.entries({ form_token: 'x' });
    const pasted = Object.entries({ form_token: 'x', pasted: 'ada@example.com' });
    const forms = [[file], [file, ...Object.entries(sent)], [...forged, file], pasted, []];
    for (const form of forms) {
      expect((await visitor.postParts(action, form)).status).toBe(403);
    }
    const headers = { origin: 'https://evil.example' };
    await visitor.postParts(action, [...Object.entries(sent), ['file', LIST]], { headers });
    expect(visitor.status).toBe(403);
    const stranger = await new Visitor(service.app).open('/login');
    await stranger.postParts(action, [['form_token', sent.form_token!], file]);
    expect([stranger.status, stranger.has('Sign in')]).toEqual([403, true]);
    const lists = db.selectFrom('lists').select('id').where('account_id', '=', person.id);
    expect(await lists.execute()).toEqual([]);
  });

  it('refuses other bodies, too much text and broken forms', async () => {
    const { visitor } = await arrive(await startStoredService(db), db);
    const { action, sent } = (await visitor.open(NEW)).formOf('Upload');
    expect((await visitor.post(action, sent)).status).toBe(415);
    const long: [string, string] = ['pasted', 'x'.repeat(8 * 1024 * 1024 + 1)];
    expect((await visitor.postParts(action, [...Object.entries(sent), long])).status).toBe(413);
    const many = Array.from({ length: 20 }, (_, index) => [`f${index}`, ''] as const);
    expect((await visitor.postParts(action, [...Object.entries(sent), ...many])).status).toBe(400);
    const unknown = ['other', 'x'.repeat(8 * 1024 * 1024)] as const;
    expect((await visitor.postParts(action, [...Object.entries(sent), unknown])).status).toBe(400);
    const elsewhere = ['other', LIST] as const;
    expect((await visitor.postParts(action, [...Object.entries(sent), elsewhere])).status).toBe(400);
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await visitor.post(action, {}, { headers })).status).toBe(403);
    const cut = `--x\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n${sent.form_token}\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na@example.com`;
    expect((await visitor.send(action, cut, { headers })).status).toBe(400);
  });

  it('asks whoever has not signed in to do so, and leads back', async () => {
    const { app } = await startStoredService(db);
    const visitor = await new Visitor(app).open(NEW);
    expect((await visitor.signIn(await makePerson(db))).location).toBe(NEW);
  });
});

inLong('starts a long list in statements of at most 5,000 rows, and gives each row its address', async () => {
  const counted = countRoundTrips(database.url);
  onTestFinished(() => counted.close());
  const service = await startStoredService(counted.db, { verifier: createScript().verifier });
  const rows = Array.from({ length: 12_001 }, (_, row) => `Name ${row};user${row % 11_000}@company.example`);
  const { visitor, person, id } = await reviewList(service, db, csv('Name;Email', ...rows), 20_000);
  counted.take();
  expect((await visitor.press('Start', { Live: 'live', mode: 'live' })).status).toBe(303);
  const statements = counted.take();
  expect(statements.filter((text) => text.includes('insert into batch_rows'))).toHaveLength(3);
  expect(statements.filter((text) => text.includes('update list_rows set place'))).toHaveLength(3);
  const { rows: found } = await sql<{ wrong: number; rows: number; places: number }>`
    select count(*) filter (where cells ->> 1 <> address #>> '{}') as wrong, count(*) as rows,
      count(distinct list_rows.place) as places
    from list_rows join batch_rows on batch_rows.place = list_rows.place
    where list_id = ${id} and batch_id = (select batch_id from lists where id = ${id})
  `.execute(db);
  expect(found).toEqual([{ wrong: 0, rows: 12_001, places: 11_000 }]);
  expect(await creditsOf(db, person.id)).toBe(9_000);
});
