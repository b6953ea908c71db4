import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it.each([
  'src/house/house.css',
  'src/service/pages/pages.css',
  'src/service/dashboard/dashboard.css',
  'demo/demo.css',
])('can be turned round, and asks for nothing from elsewhere: %s', (path) => {
  const css = readFileSync(path, 'utf8');
  const physical = /^\s+((margin|padding|border)-)?(top|bottom|left|right|(m(in|ax)-)?(width|height)):/gm;
  expect(css.match(physical)).toBeNull();
  expect(css.match(/url\(|@import/g)).toBeNull();
});
