import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const RESULTS = readFileSync('bench/results.md', 'utf8').split('\n');

/** The candidates, as the README calls them, and how their rows begin in the results. */
const ROWS: Readonly<Record<string, string>> = {
  'the widget': '| the widget ',
  'verifalia-widget': '| verifalia-widget ',
  'auto-check-element': '| auto-check-element ',
  'by hand': '| the floor ',
};

const [head = [], , ...rows] = readFileSync('README.md', 'utf8')
  .split('## Size and speed\n')[1]!
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe('the figures of the README', () => {
  it('state the widget’s size in kB in the first lines', () => {
    const [, bytes = ''] = rows.find(([name]) => name === 'size (brotli)') ?? [];
    const kilobytes = Math.round(Number.parseInt(bytes.replaceAll(',', ''), 10) / 1000);
    expect(readFileSync('README.md', 'utf8').split('\n## ')[0]).toContain(`${kilobytes} kB with brotli`);
  });

  it.each(rows)('%s', (...cells) => {
    expect(cells).toHaveLength(5);
    for (const [column, cell] of cells.entries()) {
      const candidate = head[column]!;
      if (!candidate) continue;
      const cellsOf = (line: string) => line.split('|').map((each) => each.trim());
      const own = RESULTS.filter((line) => line.startsWith(ROWS[candidate]!));
      // The value as it stands, before its spread.
      const found = own.flatMap(cellsOf).filter((each) => each === cell || each.startsWith(`${cell} (`));
      expect(found, `${candidate}: ${cell}`).not.toEqual([]);
    }
  });
});
