import { describe, expect, test } from 'vitest';
import { contrastRatio, formatRatio, luminance } from '../../demo/theme/contrast.js';

const rgb = (hex: string) => (hex.match(/\w\w/g) ?? []).map((channel) => Number.parseInt(channel, 16));

describe('the contrast ratio', () => {
  test.each([
    ['000000', 'ffffff', 21],
    ['ffffff', 'ffffff', 1],
    // The greys on either side of 4.5:1 on white, as every checker has them.
    ['767676', 'ffffff', 4.54],
    ['777777', 'ffffff', 4.48],
    ['949494', 'ffffff', 3.03],
    ['ff0000', 'ffffff', 4],
    ['0000ff', 'ffffff', 8.59],
    ['00ff00', '000000', 15.3],
    ['d32f2f', 'ffffff', 4.98],
    ['b26a00', 'ffffff', 4.24],
  ])('of #%s and #%s is %f, whichever comes first', (one, other, expected) => {
    expect(contrastRatio(rgb(one), rgb(other))).toBeCloseTo(expected, 1);
    expect(contrastRatio(rgb(other), rgb(one))).toBe(contrastRatio(rgb(one), rgb(other)));
  });

  test('tells 4.54 from 4.48', () => {
    expect(contrastRatio(rgb('767676'), rgb('ffffff'))).toBeGreaterThan(4.5);
    expect(contrastRatio(rgb('777777'), rgb('ffffff'))).toBeLessThan(4.5);
  });
});

test('gives green more luminance than red and blue together', () => {
  expect(luminance(rgb('00ff00'))).toBeCloseTo(0.7152, 6);
  expect(luminance(rgb('ff0000')) + luminance(rgb('0000ff'))).toBeCloseTo(0.2848, 6);
});

test.each([
  [21, '21:1'],
  [4.4999, '4.49:1'],
  [4.5, '4.5:1'],
  [3.104, '3.1:1'],
])('writes %f as %s: cut, never rounded up to its minimum', (ratio, text) => {
  expect(formatRatio(ratio)).toBe(text);
});
