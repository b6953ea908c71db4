/** The lists that come with the service. */
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { LIST_PACKAGES } from '../../../src/engine/facts/lists.ts';

it.each(LIST_PACKAGES)('tells the day of the version of $name that is used', ({ name, version, day }) => {
  const used = createRequire(import.meta.url)(`${name}/package.json`);
  expect(used.version, 'Write the new version and its day: npm view NAME time --json').toBe(version);
  expect(day).toMatch(/^20\d\d-\d\d-\d\d$/);
});
