import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const RESULTS = readFileSync('bench/results.md', 'utf8');

/** The candidates, as docs/comparison.md calls them, and how their rows begin in the results. */
const ROWS: Readonly<Record<string, string>> = {
  'the widget': '| the widget ',
  'verifalia-widget': '| verifalia-widget ',
  'auto-check-element': '| auto-check-element ',
  mailcheck: '| mailcheck ',
  'by hand': '| the floor ',
};

const sectionOf = (text: string, heading: string) => text.split(`# ${heading}\n`)[1]?.split(/\n#+ /)[0] ?? '';
const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const tableUnder = (heading: string) =>
  sectionOf(readFileSync('docs/comparison.md', 'utf8'), heading)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map(cellsOf);

const [head = [], , ...rows] = tableUnder('Size and speed');

it('states the widget’s size in kB in the first lines of the README', () => {
  const [, bytes = ''] = rows.find(([name]) => name === 'size (brotli)') ?? [];
  const kilobytes = Math.round(Number.parseInt(bytes.replaceAll(',', ''), 10) / 1000);
  expect(readFileSync('README.md', 'utf8').split('\n## ')[0]).toContain(`${kilobytes} kB with brotli`);
});

it('states the script’s size in kB with brotli and with gzip in docs/widget.md', () => {
  const sizes = sectionOf(RESULTS, 'Size of the script');
  const own = cellsOf(sizes.split('\n').find((line) => line.startsWith(ROWS['the widget']!)) ?? '');
  const [gzip = 0, brotli = 0] = own
    .slice(2, 4)
    .map((cell) => Math.round(Number.parseInt(cell.replaceAll(',', ''), 10) / 1000));
  const page = sectionOf(readFileSync('docs/widget.md', 'utf8'), 'Size');
  expect(page).toContain(`${brotli} kB with brotli`);
  expect(page).toContain(`${gzip} kB with gzip`);
});

describe('what docs/comparison.md takes from the results', () => {
  it.each(rows)('%s', (...cells) => {
    expect(cells).toHaveLength(5);
    for (const [column, cell] of cells.entries()) {
      const candidate = head[column]!;
      if (!candidate) continue;
      const own = RESULTS.split('\n').filter((line) => line.startsWith(ROWS[candidate]!));
      // The value as it stands, before its spread.
      const found = own.flatMap(cellsOf).filter((each) => each === cell || each.startsWith(`${cell} (`));
      expect(found, `${candidate}: ${cell}`).not.toEqual([]);
    }
  });

  it.each([
    ['requests for one', 'Requests for a session of typing, correcting and going back', 1],
    ['can be', 'Layout shift, long tasks, nodes left behind', 4],
  ])('%s …', (start, figure, column) => {
    const cells = tableUnder('Widgets').find(([first = '']) => first.startsWith(start)) ?? [];
    const lines = sectionOf(RESULTS, figure).split('\n');
    const candidates = ['the widget', 'verifalia-widget', 'auto-check-element', 'mailcheck'];
    const found = candidates.map(
      (name) => cellsOf(lines.find((line) => line.startsWith(ROWS[name]!)) ?? '')[column],
    );
    expect(cells.slice(1)).toEqual(found);
  });
});
