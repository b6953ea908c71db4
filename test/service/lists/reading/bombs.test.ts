/** Workbooks that are small as files and large inside end within the limits of their process, and touch no other list. */
import { expect, it, onTestFinished } from 'vitest';
import { ListFault } from '../../../../src/service/lists/reading/list-fault.ts';
import { createReader } from '../../../../src/service/lists/reading/list-reader.ts';
import { startProcess } from '../../../../src/service/lists/reading/start-reader-process.ts';
import { workbook, zipOf } from '../../support/workbook.ts';

// Each upload starts a process, and the cores are shared.

const NAMESPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const ADDRESS = '<row r="1"><c r="A1" t="inlineStr"><is><t>a@example.com</t></is></c></row>';
const MANY = 1_000_000;

const sheet = (more: string) =>
  `<worksheet ${NAMESPACE}><sheetData>${ADDRESS}${more}</sheetData></worksheet>`;
const bookOf = (more: string, sharedTexts = '') =>
  workbook({ One: sheet(more) }, { 'xl/sharedStrings.xml': `<sst ${NAMESPACE}>${sharedTexts}</sst>` });

/** Ten times ten times ten… texts, as entities of XML. */
const entities = Array.from(
  { length: 12 },
  (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`,
).join('');

const BOMBS: Readonly<Record<string, () => Promise<Buffer>>> = {
  'a sheet of empty rows': () => bookOf('<row/>'.repeat(20 * MANY)),
  'a sheet of spaces': () => bookOf(' '.repeat(150 * MANY)),
  'a row of cells without a place': () => bookOf(`<row r="2">${'<c><v>1</v></c>'.repeat(MANY)}</row>`),
  'rows within rows': () => bookOf('<row>'.repeat(2 * MANY)),
  'entities within entities': () => {
    const types = `<!DOCTYPE x [<!ENTITY e0 "x">${entities}]>`;
    return workbook({ One: types + sheet('').replace('a@example.com', '&e12;') });
  },
  'a workbook within a workbook': async () => zipOf({ 'xl/workbook.xml': await bookOf('') }),
  'one long text that every cell shares': () => {
    const cell = (row: number) => `<row r="${row}"><c r="A${row}" t="s"><v>0</v></c></row>`;
    const rows = Array.from({ length: 10_000 }, (_, index) => cell(index + 2));
    return bookOf(rows.join(''), `<si><t>${'x'.repeat(32_000)}</t></si>`);
  },
};

it.each(Object.entries(BOMBS))(
  'reads or refuses %s, and reads the list of another account',
  async (_, make) => {
    // Only the bomb has a limit, because the other list is read, however slow the machine is.
    let started = 0;
    const start: typeof startProcess = (file, limits) => {
      started += 1;
      return startProcess(file, started === 1 ? limits : { ...limits, longestMs: 600_000 });
    };
    const reader = createReader({ start });
    const [reading, other] = [reader.open('acc_1')!, reader.open('acc_2')!];
    onTestFinished(async () => {
      await reading.close();
      await other.close();
    });
    const bytes = await make();
    expect(bytes.length).toBeLessThan(1024 * 1024);
    await reading.add(bytes);
    await other.add(Buffer.from('b@example.com'));
    const [bomb, list] = await Promise.allSettled([reading.read('list.xlsx'), other.read(undefined)]);
    // How far a process gets within its time depends on the machine. What it reads has the one address.
    if (bomb.status === 'rejected') expect(bomb.reason).toBeInstanceOf(ListFault);
    else expect(bomb.value.tables[0]).toMatchObject({ addresses: expect.arrayContaining([1]) });
    expect(list).toMatchObject({ status: 'fulfilled', value: { tables: [{ rows: 1 }] } });
  },
);

it('reads a workbook with millions of shared texts that no cell has', async () => {
  // It is read, however slow the machine is.
  const reading = createReader({ longestMs: 600_000 }).open('acc_1')!;
  onTestFinished(() => reading.close());
  await reading.add(await bookOf('', '<si><t/></si>'.repeat(2 * MANY)));
  expect(await reading.read('list.xlsx')).toMatchObject({ tables: [{ rows: 1, addresses: [1] }] });
});
