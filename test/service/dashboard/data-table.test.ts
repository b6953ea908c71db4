import { Window } from 'happy-dom';
import { expect, it } from 'vitest';
import { dataTable } from '../../../src/service/dashboard/data-table.ts';
import { html } from '../../../src/service/pages/html.ts';

const COLUMNS = [{ title: 'Name' }, { title: 'Credits', isNumber: true, css: 'why' }] as const;

function parse(changes: Partial<Parameters<typeof dataTable>[0]> = {}) {
  const table = dataTable({ label: 'Things', columns: COLUMNS, rows: [['a <b>', 5]], ...changes });
  return new new Window().DOMParser().parseFromString(table.toString(), 'text/html');
}

it('gives each cell the title of its column, which stands before it on a card', () => {
  const { body } = parse({ sums: ['Sum', 5] });
  expect(
    [...body.querySelectorAll('td')].map((cell) => [cell.getAttribute('data-title'), cell.textContent]),
  ).toEqual(Array(2).fill(['Credits', '5']));
  const names = [...body.querySelectorAll('th[scope=row]')].map(({ textContent }) => textContent);
  expect(names).toEqual(['a <b>', 'Sum']);
});

it('states the role of each part, which a browser may forget for what is shown as a block', () => {
  const { body } = parse({ caption: 'Two', sums: ['Sum', 5] });
  for (const part of body.querySelectorAll('table, thead, tbody, tfoot, tr, th, td'))
    expect([part.localName, part.getAttribute('role')]).toEqual([part.localName, expect.any(String)]);
});

it('has an unnamed row, a link that sorts, and the classes of its cells', () => {
  const sorted = { title: 'Name', link: html`<a href="#">Name</a>`, sorted: 'ascending' } as const;
  const { body } = parse({ isNamed: false, columns: [sorted, COLUMNS[1]] });
  expect(body.querySelectorAll('th[scope=row]')).toHaveLength(0);
  expect(body.querySelector('th a')!.closest('th')!.getAttribute('aria-sort')).toBe('ascending');
  expect(body.querySelector('td:last-child')!.className).toBe('number why');
});
