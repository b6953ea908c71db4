/** The files for what comes next, of a list with several columns of addresses. */
import Papa from 'papaparse';
import { expect, it } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { batchesOf, csv, reviewList } from './world.ts';

const { db } = await testDatabase();

/** Many people, some of whom share addresses, and rows that have none. */
const PEOPLE = Array.from({ length: 40 }, (_, row) =>
  [`Person ${row}`, `work${row % 30}@example.com`, row % 3 === 0 ? '' : `home${row}@example.org`].join(','),
);
const LIST = csv(
  'Name,Work,Home',
  ...PEOPLE,
  'Twice,twice@example.com,Twice@example.com',
  'Two,one@example.com; two@example.com,work1@example.com',
  'Nobody,,',
  'Wrong,none,-',
);

/** Distinct addresses, and how often another cell repeats one: work0 to work9, work1 again, and twice. */
const [DISTINCT, DUPLICATES] = [30 + 26 + 1 + 2, 10 + 1 + 1];

async function startList() {
  const { visitor, person } = await reviewList(await startStoredService(db), db, LIST);
  const choices = { 'column-1': 'on', 'column-2': 'on', split: 'on' };
  await visitor.press('Start', choices);
  if (visitor.status === 422) await visitor.press('Start');
  expect([visitor.status, visitor.text]).toEqual([303, '']);
  const [batch] = await batchesOf(db, person);
  const page = `/dashboard/batches/${batch!.id}`;
  return {
    page: async () => (await visitor.open(page)).text,
    async download(next: string) {
      const { response } = await visitor.open(`${page}/download?for=${next}&columns=short`);
      const { data } = Papa.parse<Record<string, string>>(response.body.replace(/^\ufeff/, ''), {
        ...{ header: true, skipEmptyLines: true },
      });
      return data;
    },
  };
}

const cellsOf = (rows: readonly Record<string, string>[]) =>
  rows.flatMap((row) => ['Work', 'Home'].map((title) => [row[title]!.toLowerCase(), row[`${title} state`]!]));

it('puts each address into one file, once, and counts them before', async () => {
  const { page, download } = await startList();
  const text = await page();
  const all: string[] = [];
  for (const [next, title, states] of [
    ['send', 'Send to these', ['deliverable']],
    ['look-at', 'Look at these by hand', ['risky', 'unknown']],
    ['leave-out', 'Leave these out', ['undeliverable']],
  ] as const) {
    const cells = cellsOf(await download(next));
    const filled = cells.filter(([address]) => address !== '');
    // A cell of another address is empty, and so is its result.
    expect(cells.filter(([address, state]) => (address === '') !== (state === ''))).toEqual([]);
    expect(filled.filter(([, state]) => !(states as readonly string[]).includes(state!))).toEqual([]);
    if (filled.length > 0) expect(text).toContain(`${title}: ${filled.length}`);
    all.push(...filled.map(([address]) => address!));
  }
  expect(all).toHaveLength(DISTINCT);
  expect(new Set(all).size).toBe(DISTINCT);
});

it('has the duplicates, and the rows that are not in the batch', async () => {
  const { page, download } = await startList();
  const text = await page();
  const duplicates = cellsOf(await download('duplicates')).filter(([address]) => address !== '');
  expect(duplicates.map(([address]) => address).sort()).toEqual(
    [...Array.from({ length: 10 }, (_, row) => `work${row}@example.com`), 'twice@example.com']
      .concat('work1@example.com')
      .sort(),
  );
  expect(text).toContain(`Duplicates: ${DUPLICATES}`);
  expect((await download('no-address')).map(({ Name }) => Name)).toEqual(['Nobody', 'Wrong']);
  expect(text).toContain('Rows not in the batch: 2');
});
