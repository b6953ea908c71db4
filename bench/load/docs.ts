/** Writes the generated parts of the documentation. Each is between two comments with its name. */
import { readFileSync, writeFileSync } from 'node:fs';

export const LOAD_RESULTS = 'bench/load.md';
const PAGE = 'docs/scaling.md';

/** The text until the load has been measured. */
const UNMEASURED = '*Not measured yet. `npm run bench:load` fills this in.*';

const marks = (name: string) => [`<!-- ${name} -->\n\n`, `\n\n<!-- end of ${name} -->`] as const;

/** The text of a block on a page. @throws if the page does not have the block */
export function blockOf(page: string, name: string): string {
  const [begin, end] = marks(name);
  const from = page.indexOf(begin) + begin.length;
  const to = page.indexOf(end, from);
  if (from < begin.length || to < 0) throw new Error(`Expected the block "${name}" on the page, got none.`);
  return page.slice(from, to);
}

export function fillBlock(name: string, text: string, path = PAGE): void {
  const page = readFileSync(path, 'utf8');
  const [begin, end] = marks(name);
  const old = `${begin}${blockOf(page, name)}${end}`;
  writeFileSync(path, page.split(old).join(`${begin}${text.trim()}${end}`));
}

/** The parts of the results for the page: the machine and the tables. */
export function measuredBlock(results: string): string {
  const sections = results.split(/\n(?=#{2,3} )/);
  const tableOf = (text: string) => /(?:^\|.*\n?)+/m.exec(text)?.[0].trim() ?? '';
  const wanted = [
    'Live verifications and batches',
    'Where the processor time of a live verification goes',
    'What the database stores and logs',
    'Twice what a process can do',
    "Memory over an hour's work",
    'Faults',
    'Payments',
  ];
  const machine = tableOf(sections[0]!);
  if (machine === '') return UNMEASURED;
  return [
    machine,
    ...wanted.flatMap((title) => {
      const section = sections.find((text) => text.startsWith(`### ${title}\n`));
      return section ? [`**${title}**`, tableOf(section)] : [];
    }),
  ].join('\n\n');
}
