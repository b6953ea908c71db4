import { describe, expect, it } from 'vitest';
import { type Figure, isAllMet, report, round, table, verdicts, withSpread } from '../../bench/report.ts';

const MACHINE = { description: [['Node', '20']] as const, warning: undefined };

const figure = (isMet: boolean): Figure => ({
  title: 'Time per key',
  how: 'By a trace.',
  head: ['', 'ms'],
  rows: [['the widget', '0.2']],
  targets: [{ text: 'under 0.1 ms', found: '0.2 ms', isMet, because: 'it does too much' }],
  notes: ['Without the floor.'],
});

describe('a report', () => {
  it('states whether each target is met, and why not', () => {
    const text = report([{ title: 'The widget', figures: [figure(false)] }], MACHINE, []);
    expect(text).toMatch(
      /\| Time per key \| +0\.2 ms \| under 0\.1 ms \| \*\*missed\*\*, because it does too much \|/,
    );
    expect(text).toContain('### Time per key\n\nBy a trace.\n\n');
    expect(text).toContain('- Without the floor.');
  });

  it('gives no reason for a target that is met', () => {
    const text = report([{ title: 'The widget', figures: [figure(true)] }], MACHINE, []);
    expect(text).toMatch(/\| +met \|/);
    expect(text).not.toContain('because');
  });

  it('has a line for each target that begins with whether it is met', () => {
    const part = { title: 'The widget', figures: [figure(false), figure(true)] };
    expect(verdicts([part]).split('\n')).toEqual([
      'MISSED  Time per key: under 0.1 ms; found 0.2 ms',
      'met     Time per key: under 0.1 ms; found 0.2 ms',
    ]);
  });

  it('knows whether every target is met', () => {
    const part = (...met: boolean[]) => ({ title: 'The widget', figures: met.map(figure) });
    expect(isAllMet([part(true), part(true, true)])).toBe(true);
    expect(isAllMet([part(true), part(true, false)])).toBe(false);
  });

  it('begins with a warning if its numbers are unreliable', () => {
    const text = report([], { ...MACHINE, warning: 'The machine was busy.' }, []);
    expect(text.split('\n\n')[1]).toBe('**The machine was busy.**');
  });
});

it('writes a table that is readable as text, in which a text adds no column', () => {
  expect(
    table(
      ['', 'found'],
      [
        ['a', '10'],
        ['long', 'x|y'],
      ],
    ),
  ).toBe(['|      | found |', '| ---- | ----: |', '| a    |    10 |', '| long |  x\\|y |'].join('\n'));
});

it.each([
  [1234.5, '1235'],
  [12.345, '12.3'],
  [1.2345, '1.23'],
  [0.01234, '0.012'],
  [0.0001, '0'],
  [-0.0001, '0'],
  [Number.NaN, '–'],
])('writes %d as %s', (value, expected) => {
  expect(round(value)).toBe(expected);
});

it('gives no spread to a value that was not measured', () => {
  const none = Number.NaN;
  expect(withSpread({ median: none, low: none, high: none, count: 0 }, 'ms')).toBe('–');
  expect(withSpread({ median: 2, low: 1, high: 30, count: 9 }, 'ms')).toBe('2.00 ms (1.00–30.0)');
});
