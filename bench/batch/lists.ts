/** Measures how long other requests wait while an uploaded list is read in its own process. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createReader } from '../../src/service/lists/reading/list-reader.ts';
import { workbook } from '../../test/service/support/workbook.ts';
import { type Figure, round } from '../report.ts';
import { seconds, timed } from './addresses.ts';

const COLUMNS = 20;
const RESOLUTION_MS = 5;
/** The time after which a person notices that a page waits. */
const TARGET_MS = 100;
const NS_PER_MS = 1_000_000;

export async function readingLists(rows: number): Promise<Figure> {
  const cells = (name: (column: number) => string) =>
    Array.from({ length: COLUMNS }, (_, column) => name(column));
  const titles = cells((column) => `Column ${column}`);
  const rowOf = (row: number) =>
    cells((column) => (column === 3 ? `u${row}@example.com` : `Column ${column}!`));
  const file = await workbook({ One: [titles, ...Array.from({ length: rows }, (_, row) => rowOf(row))] });
  const reading = createReader().open('acc_bench')!;
  try {
    await reading.add(file);
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    const read = await timed(async () => {
      const { tables } = await reading.read('list.xlsx');
      const facts = tables[0]!;
      let characters = 0;
      for await (const { json } of reading.portions()) characters += json.length;
      return { facts, characters };
    });
    delay.disable();
    const { facts, characters } = read.result;
    if (facts.rows !== rows + 1) throw new Error(`Expected ${rows + 1} rows, got ${facts.rows}.`);
    const longestMs = delay.max / NS_PER_MS;
    const longest = `${round(longestMs)} ms`;
    return {
      title: `A workbook of ${(rows * COLUMNS).toLocaleString('en')} cells`,
      how: `The service reads the file in a process of its own, and takes its rows in portions. Meanwhile, a timer of ${RESOLUTION_MS} ms measures how long the event loop of the service is busy at once.`,
      head: ['', 'found'],
      rows: [
        ['read after', `${seconds(read.ms).toFixed(1)} s`],
        ['characters of its rows', characters.toLocaleString('en')],
        ['the longest wait of a request', longest],
      ],
      targets: [
        {
          text: `a request waits for less than ${TARGET_MS} ms`,
          found: longest,
          isMet: longestMs < TARGET_MS,
        },
      ],
    };
  } finally {
    await reading.close();
  }
}
