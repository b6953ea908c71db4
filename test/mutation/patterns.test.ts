/** What `npm run mutation` changes and runs is read here too, because it runs seldom. */
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error The file is plain JavaScript.
import { STORES } from './tested-stores.mjs';

it.each(['widget', 'engine', 'service', 'server'])(
  'names files that exist in the patterns of the %s',
  async (name) => {
    const { default: config } = await import(`./${name}.config.mjs`);
    expect(config.mutate.length).toBeGreaterThan(1);
    expect(config.testFiles.length).toBeGreaterThan(1);
  },
);

it('refuses a pattern without a file', async () => {
  // @ts-expect-error The file is plain JavaScript.
  const { mutate } = await import('./rules.mjs');
  expect(() => mutate('service', ['src/nowhere/*.ts'], [])).toThrow('got none. Correct the pattern.');
});

it('names stores and tests that exist', () => {
  const files = STORES.flatMap(({ file, tests }: { file: string; tests: string[] }) => [file, ...tests]);
  expect(files.filter((file: string) => !existsSync(file))).toEqual([]);
});
