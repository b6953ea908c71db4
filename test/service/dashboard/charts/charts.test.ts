import { Window } from 'happy-dom';
import { describe, expect, it } from 'vitest';
import { valueByDay } from '../../../../src/service/dashboard/charts/area-chart.ts';
import { barsByDay, STATE_SERIES } from '../../../../src/service/dashboard/charts/bar-chart.ts';
import { daysUntil } from '../../../../src/service/dashboard/charts/utc-days.ts';
import type { Html } from '../../../../src/service/pages/html.ts';

function draw(chart: Html) {
  const { document } = new Window();
  document.body.innerHTML = chart.toString();
  const text = (selector: string) =>
    [...document.querySelectorAll(selector)].map((element) =>
      element.textContent!.replace(/\s+/g, ' ').trim(),
    );
  return { document, text };
}

const bars = (days: { day: string; values: number[] }[]) =>
  draw(barsByDay({ id: 'results', title: 'Results', series: STATE_SERIES, unit: 'result', days }));

const THREE = [
  { day: '2026-02-28', values: [80, 0, 10, 10] },
  { day: '2026-03-01', values: [0, 0, 0, 0] },
  { day: '2026-03-02', values: [1, 2, 3, 4] },
];

describe('bars by day', () => {
  it('stack the values of each day up to their sum', () => {
    const { document } = bars(THREE);
    const rects = [...document.querySelectorAll('.picture g rect.bar')];
    expect(
      rects.map((rect) => ['class', 'y', 'height'].map((name) => rect.getAttribute(name)).join(' ')),
    ).toEqual([
      'bar deliverable 20% 80%',
      'bar undeliverable 10% 10%',
      'bar unknown 0% 10%',
      'bar deliverable 99% 1%',
      'bar risky 97% 2%',
      'bar undeliverable 94% 3%',
      'bar unknown 90% 4%',
    ]);
  });

  it('tell the states by patterns as well, in the picture and in the legend', () => {
    const { document, text } = bars(THREE);
    const patterns = [...document.querySelectorAll('pattern')].map(({ id }) => id);
    expect(patterns).toEqual(['results-risky', 'results-undeliverable', 'results-unknown']);
    for (const id of patterns)
      expect(document.querySelectorAll(`[fill="url(#${id})"]`).length).toBeGreaterThan(1);
    expect(text('.legend li')).toEqual(['deliverable 81', 'risky 2', 'undeliverable 13', 'unknown 14']);
  });

  it('say in words what they show', () => {
    const { text } = bars(THREE);
    expect(text('figcaption')).toEqual([
      '110 results in 3 days, 73.6 % deliverable. The most on one day: 100, on 28 February 2026. Days are in UTC.',
    ]);
    expect(text('g title')).toEqual([
      '28 February 2026: 80 deliverable, 10 undeliverable, 10 unknown',
      '1 March 2026: none',
      '2 March 2026: 1 deliverable, 2 risky, 3 undeliverable, 4 unknown',
    ]);
  });

  it('are a table as well, the latest day first', () => {
    const { text } = bars(THREE);
    expect(text('thead th')).toEqual(['Day', 'deliverable', 'risky', 'undeliverable', 'unknown', 'all']);
    expect(text('tbody th')).toEqual(['2 March 2026', '1 March 2026', '28 February 2026']);
    expect(text('tbody td').map(Number)).toEqual([1, 2, 3, 4, 10, 0, 0, 0, 0, 0, 80, 0, 10, 10, 100]);
  });

  it('have a scale of whole numbers, and three days below', () => {
    expect(bars(THREE).text('.scale span')).toEqual(['100', '80', '60', '40', '20', '0']);
    expect(bars(THREE).text('.span span')).toEqual(['28 Feb', '1 Mar', '2 Mar']);
    const one = bars([{ day: '2026-03-01', values: [1, 0, 0, 0] }]);
    expect(one.text('.scale span')).toEqual(['4', '3', '2', '1', '0']);
    expect(one.text('.span span')).toEqual(['1 Mar']);
  });

  it('say so if there is nothing to show', () => {
    const { text, document } = bars([{ day: '2026-03-01', values: [0, 0, 0, 0] }]);
    expect(text('figcaption')).toEqual(['No results in 1 day. Days are in UTC.']);
    expect(document.querySelectorAll('rect.bar')).toHaveLength(4);
  });
});

describe('a value by day', () => {
  const points = [500, 100, 900].map((value, index) => ({ day: `2026-03-0${index + 1}`, value }));
  const drawn = () => draw(valueByDay({ id: 'credits', title: 'Credits', unit: 'credit', points }));

  it('is a line from edge to edge above its area', () => {
    const { document } = drawn();
    const path = (name: string) => document.querySelector(`path.${name}`)!.getAttribute('d');
    expect(path('line')).toBe('M0,500L500,900L1000,100');
    expect(path('area')).toBe('M0,500L500,900L1000,100L1000,1000L500,1000L0,1000Z');
    expect(drawn().text('.scale span')).toEqual(['1k', '800', '600', '400', '200', '0']);
  });

  it('is told in words, and as a table', () => {
    const { text } = drawn();
    expect(text('figcaption')).toEqual([
      '500 credits at the end of 1 March 2026, 900 now. The lowest: 100, on 2 March 2026. Days are in UTC.',
    ]);
    expect(text('tbody tr')).toEqual(['3 March 2026900', '2 March 2026100', '1 March 2026500']);
  });
});

it('has an accessible name for the picture, and a region for the table that scrolls', () => {
  const { document } = bars(THREE);
  expect(document.querySelector('svg.picture')!.getAttribute('aria-label')).toBe('Results');
  expect(document.querySelector('.scroll')!.getAttribute('aria-label')).toBe('Results');
  expect(document.querySelector('[style]')).toBeNull();
});

it('counts days over the ends of months', () => {
  expect(daysUntil('2026-03-02', 4)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']);
});
