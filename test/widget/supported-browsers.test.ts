/** The supported browsers are stated in package.json: what is built must be readable to all of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';

const { browserslist } = JSON.parse(readFileSync('package.json', 'utf8')) as { browserslist: string[] };

/** What esbuild has to change, or to warn of, before these browsers could read it. */
async function tooNew(code: string) {
  const target = browserslist.map((browser) => browser.replace(' >= ', ''));
  // As in src/build/esbuild.mjs: all of them know the classes of letters that we ask for.
  const supported = { 'regexp-unicode-property-escapes': true };
  const [forThem, forAll] = await Promise.all([
    transform(code, { target, supported, logLevel: 'silent' }),
    transform(code, { target: 'esnext', logLevel: 'silent' }),
  ]);
  return [
    ...forThem.warnings.map(({ text }) => text),
    ...(forThem.code === forAll.code ? [] : [forThem.code]),
  ];
}

const files = [
  'dist/widget.js',
  'dist/index.js',
  ...readdirSync('dist/locales')
    .filter((file) => /\.m?js$/.test(file))
    .map((file) => `dist/locales/${file}`),
];

describe('the syntax of what visitors load', () => {
  it.each(files)('is known to every supported browser: %s', async (file) => {
    expect(await tooNew(readFileSync(file, 'utf8'))).toEqual([]);
  });

  it.each(['using file = open();', 'import defer * as later from "x";'])(
    'would not be with %s',
    async (code) => {
      expect(await tooNew(code).catch((error: Error) => [error.message])).not.toEqual([]);
    },
  );
});

it('states the versions of package.json in the README', () => {
  const readme = readFileSync('README.md', 'utf8');
  const [sentence = ''] = /The widget supports .*? and all later versions/.exec(readme) ?? [];
  const versions = new Set(browserslist.map((browser) => browser.split(' >= ')[1]));
  expect(sentence.match(/\d+(\.\d+)?/g)).toEqual([...versions]);
  for (const browser of browserslist) expect(sentence.toLowerCase()).toContain(browser.split(' ')[0]);
});
