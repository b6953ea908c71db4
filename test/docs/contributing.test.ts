/** The recipes of CONTRIBUTING.md name every place. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string) => readFileSync(file, 'utf8');
const FILES = ['.', 'src', 'demo', 'docs', 'test', 'bench'].flatMap((folder) =>
  readdirSync(folder, { recursive: folder !== '.', encoding: 'utf8' }).map((file) =>
    folder === '.' ? file : `${folder}/${file}`,
  ),
);

const recipe = (title: string): string =>
  new RegExp(`\n### ${title}\n([\\s\\S]*?)\n##`).exec(read('CONTRIBUTING.md'))?.[1] ?? '';
/** The files that a text names, whole or by their end. */
const named = (text: string): string[] =>
  [...text.matchAll(/`([\w./-]+\.(?:ts|js|md|txt))`/g)].map(([, file]) => file!);

const TITLES = [...read('CONTRIBUTING.md').matchAll(/^### (.+)$/gm)].map(([, title]) => title!);

it.each(TITLES)('name files that there are: %s', (title) => {
  // Words in capitals stand for names that the reader chooses. A package from the registry is unpacked into `package/`.
  const files = named(recipe(title)).filter((file) => !/\b[A-Z]{3,}\b|^package\//.test(file));
  expect(files.length).toBeGreaterThan(1);
  const isThere = (file: string) => existsSync(file) || FILES.some((each) => each.endsWith(`/${file}`));
  expect(files.filter((file) => !isThere(file))).toEqual([]);
});

/** `npm run types` finds these, because each makes a whole result. */
const TYPED = [
  'src/sample/sample-result.ts',
  'src/service/batch/live/own-fault.ts',
  'src/testing/answers.ts',
  'src/testing/replies.ts',
  'src/widget/check/local-answer.ts',
];

it('name each place that has a field of the result, such as mailbox_full', () => {
  const places = FILES.filter(
    (file) => /^src\/(?!engine\/).*\.ts$/.test(file) && /\bmailbox_full\b/.test(read(file)),
  );
  const told = named(recipe('A field of the result'));
  const missing = places.filter(
    (place) => !told.some((file) => place === file || place.endsWith(`/${file}`)),
  );
  expect(missing.sort()).toEqual(TYPED);
  expect(TYPED.filter((file) => !existsSync(file))).toEqual([]);
});

it('name each place that has an option of the widget', () => {
  const [, defaults = ''] = /const DEFAULTS[^{]*\{([\s\S]*?)\n\}/.exec(read('src/widget/options.ts'))!;
  const options = [...defaults.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name!);
  expect(options.length).toBeGreaterThan(15);
  const told = named(recipe('An option of the widget'));
  for (const file of ['demo/playground/options.js', 'docs/widget.md']) {
    expect(told).toContain(file);
    const text = read(file);
    expect(
      options.filter((name) => !text.includes(name)),
      file,
    ).toEqual([]);
  }
});
