/** Lists are read in processes of their own: what a file does there ends there. */
import { expect, it, onTestFinished } from 'vitest';
import { ListFault } from '../../../../src/service/lists/reading/list-fault.ts';
import { MAX_FILE_BYTES } from '../../../../src/service/lists/reading/list-limits.ts';
import { createReader, type ReaderOptions } from '../../../../src/service/lists/reading/list-reader.ts';
import { inLong } from '../../../in-long.ts';
import { workbook } from '../../support/workbook.ts';

// Each upload starts a process, and the cores are shared with others that have priority.
const PATIENT = { longestMs: 600_000 };

function open(options: ReaderOptions = {}) {
  const reading = createReader({ ...PATIENT, ...options }).open('acc_1')!;
  onTestFinished(() => reading.close());
  return reading;
}

async function readAll(reading: ReturnType<typeof open>) {
  const rows: unknown[] = [];
  for await (const { from, json } of reading.portions()) {
    expect(from).toBe(rows.length);
    // Each turn of the service is short, so that other requests do not wait. The bench measures it.
    expect(json.length).toBeLessThan(600_000);
    rows.push(...JSON.parse(json));
  }
  return rows;
}

const sheetOf = (rows: string) =>
  `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`;

/** As many rows and columns as a large list has. */
const TITLES = Array.from({ length: 20 }, (_, column) => `Column ${column}`);
const rowOf = (row: number) =>
  TITLES.map((title, column) => (column === 3 ? `u${row}@example.com` : `${title}!`));

it('reads bytes that come in any pieces, and hands over the rows in portions', async () => {
  const reading = open();
  const text = [TITLES, ...Array.from({ length: 5_000 }, (_, row) => rowOf(row))].join('\n');
  const bytes = Buffer.from(text.replaceAll('Column', 'Spålte'));
  for (let at = 0; at < bytes.length; at += 4_001) await reading.add(bytes.subarray(at, at + 4_001));
  const { tables } = await reading.read('list.csv');
  expect(tables).toMatchObject([{ rows: 5_001, columns: 20, addressColumn: 3, titles: 0 }]);
  const rows = await readAll(reading);
  expect(rows).toHaveLength(5_001);
  expect(rows.at(-1)).toEqual(rowOf(4_999).map((cell) => cell.replace('Column', 'Spålte')));
});

it('says why a file is no list', async () => {
  const reading = open();
  await reading.add(Buffer.from('%PDF-1.7'));
  await expect(reading.read('list.pdf')).rejects.toThrow('got a PDF');
});

it('ends a process that takes too long', async () => {
  // Less than it takes to start. A small file, because a large one has more time.
  const reading = open({ longestMs: 1 });
  await reading.add(Buffer.from('a@example.com\n'));
  await expect(reading.read(undefined)).rejects.toThrow('took too long');
});

inLong('ends a process that needs too much memory, and the service lives on', async () => {
  const reading = open({ memoryMb: 64 });
  await reading.add(await workbook({ One: sheetOf('<row><c><v>1</v></c></row>'.repeat(2_000_000)) }));
  await expect(reading.read('list.xlsx')).rejects.toThrow('needs more memory');
  await expect(readAll(reading)).rejects.toThrow();
});

it('takes no more bytes than a file may have', async () => {
  const reading = open();
  const half = Buffer.alloc(MAX_FILE_BYTES / 2);
  await reading.add(half);
  await reading.add(half);
  await expect(reading.add(Buffer.alloc(1))).rejects.toThrow('Expected a file of at most 100 MiB');
});

it('takes only so many lists at once, and two of each account', async () => {
  const reader = createReader({ mostArriving: 3 });
  const [first, second] = [reader.open('acc_1')!, reader.open('acc_1')!];
  expect(reader.open('acc_1')).toBeUndefined();
  const third = reader.open('acc_2')!;
  expect(reader.open('acc_3')).toBeUndefined();
  await first.close();
  const fourth = reader.open('acc_1')!;
  await Promise.all([second.close(), third.close(), fourth.close()]);
});

inLong('reads a list while others arrive slowly, and one after the other', async () => {
  const reader = createReader({ mostReading: 1 });
  const slow = [reader.open('acc_1')!, reader.open('acc_2')!];
  for (const reading of slow) await reading.add(Buffer.from('a@example.com'));
  const [first, second] = [reader.open('acc_3')!, reader.open('acc_4')!];
  for (const reading of [first, second]) await reading.add(Buffer.from('b@example.com'));
  await first.read(undefined);
  let isRead = false;
  const waiting = second.read(undefined).then((facts) => {
    isRead = true;
    return facts;
  });
  expect(await readAll(first)).toEqual([['b@example.com']]);
  expect(isRead).toBe(false);
  await first.close();
  expect(await waiting).toMatchObject({ tables: [{ rows: 1 }] });
  for (const reading of [...slow, second]) await reading.close();
});

inLong('reads one list of an account at a time: two of one account kept everybody else waiting', async () => {
  const reader = createReader({ mostReading: 2 });
  const open = async (account: string) => {
    const reading = reader.open(account)!;
    await reading.add(Buffer.from('a@example.com'));
    return reading;
  };
  const [first, second, other] = [await open('acc_1'), await open('acc_1'), await open('acc_2')];
  await first.read(undefined);
  let isRead = false;
  const waiting = second.read(undefined).then(() => {
    isRead = true;
  });
  expect(await other.read(undefined)).toMatchObject({ tables: [{ rows: 1 }] });
  expect(isRead).toBe(false);
  await first.close();
  await waiting;
  for (const reading of [second, other]) await reading.close();
});

/** What made the thread of a process allocate more than any heap has, which ended the process. */
it.each([
  ['a column far beyond the last', '<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>'],
  ['a row far beyond the last', '<row r="4000000000"><c r="A4000000000"><v>1</v></c></row>'],
  ['a cell in the last place', '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'],
  ['a reference without a number', '<row r="x"><c r="A"><v>1</v></c></row>'],
  ['a shared text that is not there', '<row r="1"><c r="A1" t="s"><v>4000000000</v></c></row>'],
])('lives on after a workbook with %s', async (_what, row) => {
  const reading = open({ memoryMb: 64 });
  await reading.add(await workbook({ One: sheetOf(row) }));
  await expect(reading.read('list.xlsx')).rejects.toThrow(ListFault);
});

it('refuses a text with a line that is too long to be searched', async () => {
  const reading = open();
  await reading.add(Buffer.from(`a@b.co c@d.co ${'x'.repeat(8 * 1024 * 1024)}`));
  await expect(reading.read('list.txt')).rejects.toThrow(ListFault);
});

it('gives a large file more time, as a busy machine needs it', async () => {
  const limits: number[] = [];
  const start: ReaderOptions['start'] = (_file, { longestMs }) => {
    limits.push(longestMs);
    return { ask: async () => ({ kind: 'fault', message: 'not read' }), end: async () => {} };
  };
  for (const bytes of [1_000, 10 * 1024 * 1024]) {
    const reading = open({ longestMs: 10_000, start });
    await reading.add(Buffer.alloc(bytes));
    await expect(reading.read('list.csv')).rejects.toThrow('not read');
  }
  expect(limits.map((limit) => Math.round(limit / 1_000))).toEqual([10, 30]);
});
