/** The parts of docs/scaling.md that are generated: each stands between two comments that name it. */
import { readFileSync, writeFileSync } from 'node:fs';

export const LOAD_RESULTS = 'bench/load.md';
const PAGE = 'docs/scaling.md';

/** What stands there until the load was measured. */
const UNMEASURED = '*Not measured yet. `npm run bench:load` fills this in.*';

const marks = (name: string) => [`<!-- ${name} -->\n\n`, `\n\n<!-- end of ${name} -->`] as const;

/** What a page has in a block. @throws if it has no such block */
export function blockOf(page: string, name: string): string {
  const [begin, end] = marks(name);
  const from = page.indexOf(begin) + begin.length;
  const to = page.indexOf(end, from);
  if (from < begin.length || to < 0) throw new Error(`Expected the block "${name}" in ${PAGE}, got none.`);
  return page.slice(from, to);
}

export function fillBlock(name: string, text: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = marks(name);
  const old = `${begin}${blockOf(page, name)}${end}`;
  writeFileSync(PAGE, page.split(old).join(`${begin}${text.trim()}${end}`));
}

/** What the page takes from the results: the machine, and the tables as they stand. */
export function measuredBlock(results: string): string {
  const sections = results.split(/\n(?=#{2,3} )/);
  const tableOf = (text: string) => /(?:^\|.*\n?)+/m.exec(text)?.[0].trim() ?? '';
  const wanted = [
    'Live verifications and batches',
    'What the database stores and logs',
    'Twice what a process can do',
    "Memory over an hour's work",
    'Faults',
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
