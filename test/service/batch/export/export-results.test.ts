import { buffer, text } from 'node:stream/consumers';
import { read } from '@e965/xlsx';
import iconv from 'iconv-lite';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { ExportOptions } from '../../../../src/service/batch/export/export-results.ts';
import { openExport } from '../../../../src/service/batch/export/export-results.ts';
import { readSteps } from '../../../../src/service/batch/export/export-rows.ts';
import { findExportable } from '../../../../src/service/batch/export/export-store.ts';
import { deleteBatch } from '../../../../src/service/batch/manage/manage-batches.ts';
import { readSlice, searchResults } from '../../../../src/service/batch/results/result-store.ts';
import { eraseAddress } from '../../../../src/service/batch/stored-address/erase-address.ts';
import { STEP_CHARACTERS } from '../../../../src/shared/steps.ts';
import { testDatabase } from '../../support/database.ts';
import { countWork } from '../../support/work-per-turn.ts';
import { makeLargeBatch } from '../download/batches.ts';
import { expire, type ListRow, type Made, makeList, makeResults } from '../results/results.ts';

const { db } = await testDatabase();

/** A batch of so many addresses, and its list. @returns the list's id, too */
async function makeMany(count: number, titles: string[] | null, cellsOf: (place: number) => string[]) {
  const emails = Array.from({ length: count }, (_, place) => ({ email: `u${place}@a.example` }));
  const made = await makeResults(db, emails);
  const rows = emails.map((_, place): ListRow => ({ cells: cellsOf(place), place }));
  return { ...made, list: await makeList(db, made, titles, rows) };
}
const NO_FILTER = { states: [] };

const open = async ({ id, accountId }: Made, options: Partial<ExportOptions> = {}) =>
  openExport(db, (await findExportable(db, accountId, id))!, {
    ...{ filter: NO_FILTER, columns: 'short', ...options },
  }).stream;
const setFindings = (list: string, findings: object) =>
  db
    .updateTable('lists')
    .set({ findings: JSON.stringify(findings) })
    .where('id', '=', list)
    .execute();
/** The lines, without the byte order mark and the last line break. */
async function linesOf(made: Made, options?: Partial<ExportOptions>): Promise<string[]> {
  const file = await text(await open(made, options));
  expect(file.endsWith('\r\n')).toBe(true);
  // `text` drops the mark.
  return file.slice(0, -2).split('\r\n');
}

describe('a batch from a list', async () => {
  const made = await makeResults(db, [
    { email: 'ada@a.example', score: 100, duplicates: 1 },
    { email: 'bob@b.example', score: 0, reason: 'rejected_email', did_you_mean: 'bob@c.example' },
  ]);
  const rows = [
    { cells: ['Ada "L."', 'ada@a.example', '7', '+49 (30) 123-4'], place: 0 },
    { cells: ['=cmd()', 'BOB@b.example ', '-5,3'], place: 1 },
    { cells: ['Nobody'], place: null },
    { cells: ['Ada, again\nnew line', 'Ada@a.example', '', '+1+cmd'], place: 0 },
  ];
  await makeList(db, made, ['Name', 'Email', 'Score', 'Phone'], rows);

  it('keeps each row with its own cells in their order, and marks duplicates and what was not verified', async () => {
    expect(await linesOf(made)).toEqual([
      'Name,Email,Score,Phone,state,reason,result_score,did_you_mean,duplicate',
      '"Ada ""L.""",ada@a.example,7,+49 (30) 123-4,deliverable,accepted_email,100,,false',
      `'=cmd(),BOB@b.example ,"-5,3",,undeliverable,rejected_email,0,bob@c.example,false`,
      'Nobody,,,,not verified,has no @,,,false',
      `"Ada, again\nnew line",Ada@a.example,,'+1+cmd,deliverable,accepted_email,100,,true`,
    ]);
  });

  it('has every row of the filtered addresses, and no row without an address', async () => {
    const lines = await linesOf(made, { filter: { states: ['deliverable'] } });
    expect(lines.slice(1).map((line) => line.slice(0, 5))).toEqual(['"Ada ', '"Ada,']);
    const suggested = await linesOf(made, { filter: { states: [], attribute: 'did_you_mean' } });
    expect(suggested).toHaveLength(2);
  });

  it('has all fields if they are wanted', async () => {
    const [head] = await linesOf(made, { columns: 'all' });
    expect(head!.split(',')).toHaveLength(4 + 20 + 1);
  });

  it('begins with a byte order mark, for Excel', async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of await open(made)) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).subarray(0, 3).toString('hex')).toBe('efbbbf');
  });
});

describe('an address that its owner has erased', () => {
  const owner = { kind: 'owner', name: 'owner@example.com' } as const;

  it('is in no file and no table, and the rest stays in its place', async () => {
    const made = await makeResults(db, [{ email: 'ada@a.example' }, { email: 'bob@b.example' }]);
    await eraseAddress(db, made.accountId, 'ADA@a.example', owner);
    expect((await linesOf(made)).slice(1)).toEqual([expect.stringContaining('bob@b.example')]);
    const slice = { offset: 0, limit: 10 };
    const rows = await readSlice(db, made.id, slice);
    expect(rows.map(({ result }) => result.email)).toEqual(['bob@b.example']);
    const found = await searchResults(db, made.id, { states: ['deliverable'] }, 'address', slice);
    expect(found).toMatchObject({ count: 1, rows: [{ place: 1 }] });
  });

  it('takes the own cells of its rows with it', async () => {
    const made = await makeResults(db, [{ email: 'ada@a.example' }, { email: 'bob@b.example' }]);
    const rows = [
      { cells: ['Ada', 'ada@a.example'], place: 0 },
      { cells: ['Bob', 'bob@b.example'], place: 1 },
    ];
    await makeList(db, made, ['Name', 'Email'], rows);
    await eraseAddress(db, made.accountId, 'ada@a.example', owner);
    expect((await linesOf(made)).slice(1)).toEqual([expect.stringContaining('Bob,bob@b.example')]);
  });
});

it('has rows of any size, and titles that a spreadsheet would run are defused', async () => {
  const long = 'x'.repeat(2_000_000);
  const made = await makeMany(2_500, ['@sum', '-1'], (place) => [`u${place}`, place === 1_200 ? long : 'y']);
  const lines = await linesOf(made);
  expect(lines[0]!.startsWith("'@sum,-1,state")).toBe(true);
  expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(
    Array.from({ length: 2_500 }, (_, place) => `u${place}`),
  );
  expect(lines[1_201]!.length).toBeGreaterThan(2_000_000);
});

it.each([999, 1_000, 2_000])('has the last of %i rows, which begin below the titles', async (count) => {
  const made = await makeMany(count, ['Email'], (place) => [`u${place}@a.example`]);
  // As the upload numbers them: the titles are row 0.
  for (const moved of [10_000, -9_999])
    await sql`update list_rows set number = number + ${moved} where list_id = ${made.list}`.execute(db);
  const lines = await linesOf(made);
  expect(lines).toHaveLength(count + 1);
  expect(lines.at(-1)).toContain(`u${count - 1}@a.example`);
});

describe('a list that was uploaded as text', () => {
  const rows = [
    { cells: ['Müller; Jörg', 'ada@a.example', '7'], place: 0 },
    { cells: ['Zoë', 'bob@b.example', ''], place: 1 },
  ];
  const comesBack = async (form: object) => {
    const made = await makeResults(db, [{ email: 'ada@a.example' }, { email: 'bob@b.example' }]);
    const id = await makeList(db, made, ['Name', 'E-Mail', 'Nr'], rows);
    await setFindings(id, { addresses: [0, 2, 0], form });
    return buffer(await open(made));
  };
  const style = { separator: ';', lineEnd: '\n', quotes: 'needed', quotesEmpty: false };

  it('comes back with its separator, its line ends and its encoding', async () => {
    const bytes = await comesBack({ style, codec: 'windows-1252', hasMark: false });
    expect(iconv.decode(bytes, 'windows-1252')).toBe(
      'Name;E-Mail;Nr;state;reason;score;did_you_mean;duplicate\n"Müller; Jörg";ada@a.example;7;deliverable;accepted_email;100;;false\nZoë;bob@b.example;;deliverable;accepted_email;100;;false\n',
    );
  });

  it('comes back with quotation marks around all cells, or around texts only', async () => {
    const quoting = { ...style, quotes: 'all', quotesEmpty: true };
    const all = await comesBack({ style: quoting, codec: 'UTF-8', hasMark: false });
    expect(all.toString().split('\n')[2]).toBe(
      '"Zoë";"bob@b.example";"";"deliverable";"accepted_email";"100";"";"false"',
    );
    const texts = await comesBack({ style: { ...style, quotes: 'texts' }, codec: 'UTF-8', hasMark: false });
    expect(texts.toString().split('\n')[1]).toBe(
      '"Müller; Jörg";"ada@a.example";7;"deliverable";"accepted_email";100;;false',
    );
  });

  it('comes back in UTF-16 with its byte order mark, and with the line that names the separator', async () => {
    const bytes = await comesBack({ style, codec: 'UTF-16LE', hasMark: true, namesSeparator: true });
    expect(bytes.subarray(0, 2).toString('hex')).toBe('fffe');
    expect(iconv.decode(bytes, 'UTF-16LE').slice(0, 20)).toBe('sep=;\nName;E-Mail;Nr');
  });
});

it('writes a few rows in a turn of the event loop, or a long one, so that no file delays others', async () => {
  const made = await makeMany(40, null, () => [';='.repeat(10_000)]);
  // A fast machine has millions of turns in which it waits for the database.
  let [written, mostWritten, turnsThatWrote] = [0, 0, 0];
  const look = () => {
    mostWritten = Math.max(mostWritten, written);
    if (written > 0) turnsThatWrote += 1;
    written = 0;
    timer = setImmediate(look);
  };
  let timer = setImmediate(look);
  for await (const chunk of await open(made)) written += (chunk as Buffer).length;
  clearImmediate(timer);
  expect(turnsThatWrote).toBeGreaterThanOrEqual(10);
  // Four rows of 30 kB, with their apostrophes.
  expect(mostWritten).toBeLessThan(130_000);
});

describe('a batch without a list', () => {
  it('has each distinct address once, with the fields that the batch was created with', async () => {
    const entries = [{ email: 'b@x.example', duplicates: 3 }, { email: 'a@x.example' }];
    expect(await linesOf(await makeResults(db, entries, { responseFields: ['email'] }))).toEqual([
      ...['email', 'b@x.example', 'a@x.example'],
    ]);
    const [head, first] = await linesOf(await makeResults(db, entries));
    expect(head).toBe('email,state,reason,score,did_you_mean');
    expect(first).toBe('b@x.example,deliverable,accepted_email,100,');
  });

  it('has what the filter lets through, from pages that have much and pages that have nothing', async () => {
    const made = await makeLargeBatch(db, 5_000, { padding: 1_200 });
    await sql`
      update batch_rows set reason = 'timeout' where batch_id = ${made.id} and place in (10, 4000, 4999)
    `.execute(db);
    expect(await linesOf(made, { filter: { states: ['unknown'] } })).toHaveLength(4);
    expect(await linesOf(made)).toHaveLength(5_001);
    expect(await linesOf(made, { filter: { states: [], search: 'nobody' } })).toHaveLength(1);
  });

  it('keeps an empty cell that is alone in its line', async () => {
    const made = await makeResults(db, [{ email: 'a@x.example' }], { responseFields: ['did_you_mean'] });
    expect(await linesOf(made)).toEqual(['did_you_mean', '""']);
  });
});

it.each(['deleted', 'expired'])('ends a file by an error when the results are %s meanwhile', async (how) => {
  const made = await makeLargeBatch(db, 3_000, { padding: 1_200 });
  const file = await open(made, { filter: { states: ['deliverable'] } });
  const read = (async () => {
    let isFirst = true;
    for await (const _ of file) {
      if (!isFirst) continue;
      isFirst = false;
      if (how === 'deleted') await deleteBatch(db, { id: made.id }, { refundUnknown: true });
      else await expire(db, made.id);
    }
  })();
  await expect(read).rejects.toThrow('They were deleted.');
});

it('exports a batch of the account that is open, or whose results are kept', async () => {
  const { id, accountId } = await makeResults(db, [{ email: 'a@x.example' }], { name: 'x.csv' });
  expect(await findExportable(db, accountId, id)).toMatchObject({ id, name: 'x.csv', list: undefined });
  expect(await findExportable(db, 'acc_other', id)).toBeUndefined();
  await expire(db, id);
  expect(await findExportable(db, accountId, id)).toBeUndefined();
  const isOpen = await makeResults(db, [{ email: 'a@x.example' }], { open: 1 });
  expect(await findExportable(db, isOpen.accountId, isOpen.id)).toMatchObject({ is_open: true });
});

it('makes the lines of cells with hundreds of addresses a few at a time, and reads each cell once', async () => {
  const [rows, addresses] = [30, 280];
  const made = await makeResults(db, [{ email: 'a@b.example', duplicates: rows * addresses - 1 }]);
  const cell = Array(addresses).fill('a@b.cc').join(';');
  const list = await makeList(db, made, ['Emails'], Array(rows).fill({ cells: [cell], place: 0 }));
  await sql`
    update list_rows set places = array_fill(0, array[1, ${addresses}::integer]) where list_id = ${list}
  `.execute(db);
  await sql`update lists set address_columns = '{0}' where id = ${list}`.execute(db);
  const batch = (await findExportable(db, made.accountId, made.id))!;
  const options = { filter: NO_FILTER, columns: 'short', keepsValues: false } as const;
  let lines = 0;
  const { most } = await countWork(async () => {
    for await (const some of readSteps(db, batch, options)) lines += some.length;
  });
  expect(lines).toBe(1 + rows * addresses);
  expect(most).toBeLessThan(6 * STEP_CHARACTERS);
});

it('makes as few rows in a turn if their cells have a format', async () => {
  const made = await makeMany(40, ['Note'], () => ['x'.repeat(30_000)]);
  await setFindings(made.list, { sheet: 'S', textFormats: ['@'] });
  const batch = (await findExportable(db, made.accountId, made.id))!;
  const options = { filter: NO_FILTER, columns: 'short', keepsValues: true } as const;
  const sizes: number[] = [];
  for await (const some of readSteps(db, batch, options)) sizes.push(some.length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1 + 40);
  // Three rows of 30 kB.
  expect(Math.max(...sizes)).toBe(3);
});

it('writes a number of an earlier version as its text if nothing says its format', async () => {
  const made = await makeResults(db, [{ email: 'ada@a.example' }]);
  const id = await makeList(db, made, ['Share', 'Sum'], [{ cells: ['50%', '7.0'], place: 0 }]);
  await setFindings(id, { sheet: 'S', formats: [null, '0.0'] });
  await db.updateTable('list_rows').set({ numbers: '[0.5, 7]' }).where('list_id', '=', id).execute();
  const { S } = read(await buffer(await open(made)), { type: 'buffer', cellNF: true }).Sheets;
  expect([S!.A2.v, S!.B2.v, S!.B2.z]).toEqual(['50%', 7, '0.0']);
});
