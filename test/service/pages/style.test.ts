import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The custom properties of a style sheet, each with all its values in their order. */
function propertiesOf(path: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [, name = '', value = ''] of readFileSync(path, 'utf8').matchAll(/^\s+(--[\w-]+): (.*);$/gm)) {
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  return found;
}

it('has the colours and letters of the demo', () => {
  const demo = propertiesOf('demo/demo.css');
  const own = propertiesOf('src/service/pages/pages.css');
  expect(own.size).toBeGreaterThan(10);
  for (const [name, values] of own) expect(demo.get(name)?.slice(0, values.length), name).toEqual(values);
});

it('can be turned round, and asks for nothing from elsewhere', () => {
  const css = readFileSync('src/service/pages/pages.css', 'utf8');
  const physical = /^\s+((margin|padding|border)-)?(top|bottom|left|right|(m(in|ax)-)?(width|height)):/gm;
  expect(css.match(physical)).toBeNull();
  expect(css.match(/url\(|@import|:\s*(left|right);/g)).toBeNull();
});
