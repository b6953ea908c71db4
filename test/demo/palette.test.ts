/** The demo and the service's documentation can each be served without the other: each has the colours, the same. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The colours of a style sheet that are one in light and another in dark, by their names. */
function coloursOf(path: string): Record<string, string> {
  const sheet = readFileSync(path, 'utf8');
  const [base = ''] = sheet.split('[data-palette');
  return Object.fromEntries(
    [...base.matchAll(/(--[\w-]+): (light-dark\([^)]*\));/g)].map(([, name, value]) => [name, value]),
  );
}

it('the service’s documentation has the colours of the demo', () => {
  const own = coloursOf('src/service/docs/page/docs.css');
  expect(Object.keys(own)).toHaveLength(8);
  expect(coloursOf('demo/demo.css')).toMatchObject(own);
});
