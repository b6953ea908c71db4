/** What a batch of a list holds. */
import { expect, it } from 'vitest';
import { allOf } from '../../../../src/service/batch/entries/collected-entries.ts';
import { EntriesOfColumns } from '../../../../src/service/dashboard/lists/list-entries.ts';
import { cleanName, nameOfFile } from '../../../../src/service/lists/list-name.ts';
import { inSteps, STEP_CHARACTERS } from '../../../../src/shared/steps.ts';
import { inLong } from '../../../in-long.ts';
import { countWork } from '../../support/work-per-turn.ts';

async function coalesce(cells: readonly string[], leavesOut = true) {
  const column = new EntriesOfColumns({ leavesOutMalformed: leavesOut });
  for (const [number, cell] of cells.entries()) column.add(number, [cell]);
  const { numbers, places, blank, malformed, reasons, saved } = column;
  return { entries: await allOf(column.entries), numbers, places, blank, malformed, reasons, saved };
}

inLong('reads long cells, and addresses that need the tables of Unicode, in steps', async () => {
  const cells = [
    ...Array.from({ length: 100 }, (_, number) => ({ number, cell: `${number}${'x'.repeat(32_000)}` })),
    ...Array.from({ length: 3_000 }, (_, number) => ({ number, cell: `${number}@${'漢字'.repeat(40)}` })),
  ].map(({ number, cell }) => ({ number, cells: [cell], is_hidden: false }));
  const column = new EntriesOfColumns({ leavesOutMalformed: false });
  const { most } = await countWork(() => inSteps(column.addAll(cells)));
  expect(most).toBeLessThan(6 * STEP_CHARACTERS);
  expect(column.numbers).toHaveLength(3_100);
});

it('gives equal addresses one place, and keeps the first spelling', async () => {
  const cells = [' Ada@Example.com ', 'bob@example.com', 'ada@example.com', 'Ada <ADA@example.com>'];
  const { entries, numbers, places } = await coalesce(cells);
  expect(entries).toEqual([
    { address: 'Ada@Example.com', duplicates: 2 },
    { address: 'bob@example.com', duplicates: 0 },
  ]);
  expect(numbers).toEqual([0, 1, 2, 3]);
  expect(places).toEqual([0, 1, 0, 0]);
});

it('counts what is no address, and leaves it out', async () => {
  const cells = ['a@example.com', '', '  ', 'n/a', 'b@', 'n/a', 'x'.repeat(70), 'fourth'];
  const { entries, numbers, blank, malformed, reasons, saved } = await coalesce(cells);
  expect({ entries: entries.length, numbers, blank, malformed, saved }).toEqual({
    ...{ entries: 1, numbers: [0], blank: 2, malformed: 5, saved: 4 },
  });
  expect(reasons).toEqual([
    { why: 'has no @', count: 4, example: 'n/a' },
    { why: 'has nothing after the @', count: 1, example: 'b@' },
  ]);
});

it('shows the beginning of a long cell that is no address, and cuts no emoji in two', async () => {
  const { reasons } = await coalesce([`${'x'.repeat(58)}😀${'x'.repeat(9)}`]);
  expect(reasons).toEqual([{ why: 'has no @', count: 1, example: `${'x'.repeat(58)}…` }]);
});

it('takes what is no address into the batch if its owner wants that', async () => {
  const { entries, places, malformed } = await coalesce(['n/a', 'a@example.com', 'N/A'], false);
  expect(entries).toEqual([
    { address: 'n/a', duplicates: 1 },
    { address: 'a@example.com', duplicates: 0 },
  ]);
  expect([places, malformed]).toEqual([[0, 1, 0], 2]);
});

it('counts each address of a row with several once, and keeps the places of each column', async () => {
  const columns = new EntriesOfColumns({ columns: 2, splits: true, leavesOutMalformed: true });
  columns.add(0, ['a@x.example', 'b@x.example']);
  columns.add(1, ['b@x.example; c@x.example', 'n/a']);
  columns.add(2, ['', 'A@x.example']);
  columns.add(3, ['', '']);
  const { numbers, places, several, total, blank, malformed, joined } = columns;
  expect((await allOf(columns.entries)).map(({ address, duplicates }) => [address, duplicates])).toEqual([
    ['a@x.example', 1],
    ['b@x.example', 1],
    ['c@x.example', 0],
  ]);
  expect({ numbers, places, several, total, blank, malformed, joined }).toEqual({
    ...{ numbers: [0, 1, 2], places: [0, 1, 0], total: 5, blank: 1, malformed: 1, joined: 1 },
    several: ['{{0},{1}}', '{{1,2},{NULL,NULL}}', '{{NULL},{0}}'],
  });
});

it('takes a cell with several addresses for none, unless its owner wants it split', async () => {
  const columns = new EntriesOfColumns({ leavesOutMalformed: true });
  columns.add(0, ['a@x.example, b@x.example']);
  expect([columns.total, columns.joined, columns.reasons]).toEqual([
    ...[0, 1, [{ why: 'has several addresses', count: 1, example: 'a@x.example, b@x.example' }]],
  ]);
});

it('leaves out hidden rows if its owner wants that, and counts them', async () => {
  const left = new EntriesOfColumns({ leavesOutMalformed: true, leavesOutHidden: true });
  const kept = new EntriesOfColumns({ leavesOutMalformed: true });
  for (const columns of [left, kept]) {
    columns.add(0, ['a@x.example'], true);
    columns.add(1, [''], true);
    columns.add(2, ['b@x.example']);
  }
  expect([left.numbers, left.hidden, left.blank]).toEqual([[2], 1, 1]);
  expect([kept.numbers, kept.hidden]).toEqual([[0, 2], 1]);
});

it('always leaves out what no text of the database can hold', async () => {
  const halves = await coalesce(['lone \uD800', '\uDC00@b.example'], false);
  expect(halves).toMatchObject({ entries: [], malformed: 2 });
});

it.each([
  ['customers.csv', 'customers.csv'],
  ['C:\\Users\\Ada\\customers.csv', 'customers.csv'],
  ['/home/ada/customers.csv', 'customers.csv'],
  ['cust\u202Evsc.exe\0\n.csv', 'cust vsc.exe .csv'],
  ['\u200B \u2066', 'List'],
  ['', 'List'],
  // As browsers send it.
  ['a%22b;c.csv', 'a"b;c.csv'],
  [`${'x'.repeat(199)}\u{1F600}.csv`, 'x'.repeat(199)],
])('calls the list of the file %j %j', (fileName, name) => {
  expect(nameOfFile(fileName)).toBe(name);
});

it('keeps the former name if no visible one is given', () => {
  expect(cleanName(' \t', 'before')).toBe('before');
});
