/** Writes the results as Markdown. */
import { describeMachine } from '../machine.ts';
import { FULL } from './fill.ts';
import { BOUNDS, faultOf, type Measured } from './measure.ts';

export const HISTORY_RESULTS = 'bench/history.md';

type Measurements = readonly Measured[];

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const tableOf = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [row(head), row(head.map((_, index) => (index < 2 ? '---' : '--:'))), ...rows.map(row)].join('\n');
const nameOf = ({ name, what }: Measured) => `\`${name}\`${what === undefined ? '' : ` ${what}`}`;
const pairs = (filled: Measurements, empty: Measurements) =>
  filled.map((one, index) => ({ one, before: empty[index]! })).sort((a, b) => b.one.buffers - a.one.buffers);

const COSTS = ['buffers, nearly empty', 'buffers', 'ms, nearly empty', 'ms'];
const costsOf = (one: Measured, before: Measured) => [
  ...[before.buffers, one.buffers, before.ms.toFixed(2), one.ms.toFixed(2)],
];

/** The dearest first. */
export const everyStatement = (filled: Measurements, empty: Measurements): string =>
  tableOf(
    ['asked by', 'function', ...COSTS, 'read whole', 'bound'],
    pairs(filled, empty).map(({ one, before }) => [
      ...[one.by, nameOf(one), ...costsOf(one, before)],
      ...[one.scans.join(', '), faultOf(one) === undefined ? '' : 'broken'],
    ]),
  );

/** For each who asks: the bound, and what needs the most of it. */
export const dearestOfEach = (filled: Measurements, empty: Measurements): string =>
  tableOf(
    ['asked by', 'function that reads most', ...COSTS, 'bound'],
    Object.entries(BOUNDS).map(([by, bound]) => {
      const { one, before } = pairs(filled, empty).find((pair) => pair.one.by === by)!;
      return [by, nameOf(one), ...costsOf(one, before), `${bound.buffers} buffers or ${bound.ms} ms`];
    }),
  );

export const wholeReport = (filled: Measurements, empty: Measurements): string => `# The cost of history

\`npm run bench:history\` writes this file. Each function of a store is called as the service calls it, and each statement
that it sends is explained. A row has the most that one of them needs. *Buffers* are the pages of the database that it
reads, with its triggers. An operator's commands have no bound.

${tableOf(['Measured on', ''], describeMachine().description)}

${tableOf(
  ['rows', ''],
  Object.entries(FULL).map(([name, count]) => [name, count.toLocaleString('en')]),
)}

${everyStatement(filled, empty)}
`;
