/** The widget's own texts, wherever else they are written. Whoever changes one is told of every other place. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DEFAULTS } from '../../src/widget/options.ts';
import { importDemo } from '../demo/playground/modules.ts';

const { MESSAGES } = await importDemo('playground/options.js');

type Name = keyof typeof DEFAULTS.messages;

const CITED: readonly [file: string, ...names: Name[]][] = [
  ['README.md', 'invalid'],
  ['docs/testing.md', 'invalid'],
  ['docs/troubleshooting.md', 'verifying'],
  ['src/testing/playwright.ts', 'invalid'],
  ['test/testing/examples/sign-up.test.ts', 'invalid'],
];

it.each(CITED)('are cited as they are in %s', (file, ...names) => {
  const text = readFileSync(file, 'utf8').replace(/\s+/g, ' ');
  const missing = names.filter((name) => !text.includes(DEFAULTS.messages[name]));
  expect(missing, `${file} cites another text`).toEqual([]);
});

it('are those of the playground', () => {
  expect(MESSAGES).toEqual(DEFAULTS.messages);
});

it('are those that the docblocks of `Messages` name', () => {
  const source = readFileSync('src/widget/check/policy.ts', 'utf8');
  const [, block = ''] = /export interface Messages \{(.*?)^\}/ms.exec(source) ?? [];
  const named = Array.from(block.matchAll(/@default '(.*?)'.*?^ {2}(\w+): string;/gms), ([, text, name]) => [
    name,
    text,
  ]);
  expect(Object.fromEntries(named)).toEqual(DEFAULTS.messages);
});
