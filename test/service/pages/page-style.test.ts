import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const SHEETS = [
  'house-style/house',
  'service/pages/pages',
  'service/dashboard/dashboard',
  'service/docs/assets/docs',
];

it.each([...['house-style/tokens', ...SHEETS].map((name) => `src/${name}.css`), 'demo/demo.css'])(
  'can be turned round, and asks for nothing from elsewhere: %s',
  (path) => {
    const css = readFileSync(path, 'utf8');
    const physical = /^\s+((margin|padding|border)-)?(top|bottom|left|right|(m(in|ax)-)?(width|height)):/gm;
    expect(css.match(physical)).toBeNull();
    expect(css.match(/url\(|@import/g)).toBeNull();
  },
);

it.each(SHEETS)('takes its colours and sizes of type from the tokens: %s', (name) => {
  const css = readFileSync(`src/${name}.css`, 'utf8');
  expect(css.match(/#[\da-f]{3,8}\b(?=[^{}]*;)|\b(rgb|hsl|light-dark)\(/g)).toBeNull();
  expect(css.match(/font-size: (?!1rem)[\d.]+rem/g)).toBeNull();
});
