/** docs/configuration.md lists every setting. `npm run configuration` writes its table anew. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SETTINGS, type Setting } from '../../src/service/config/variables.ts';
import { PAGES } from './blocks.ts';

const PAGE = 'docs/configuration.md';
const MADE = /(<!-- Made by .* -->\n)[\s\S]*(<!-- End of what is made. -->)/;

const code = (text: string) => `\`${text}\``;

function typeOf({ schema }: Setting): string {
  const { expected, unit } = schema as { expected?: string; unit?: string };
  const words = expected?.replace(/\d{4,}/g, (digits) => Number(digits).toLocaleString('en'));
  return unit === undefined || words?.includes(unit) ? words! : `${words} (${unit})`;
}

function defaultOf({ schema }: Setting): string {
  if (schema.default === undefined) return 'none';
  const text = typeof schema.default === 'string' ? schema.default : JSON.stringify(schema.default);
  return code(text);
}

function row(setting: Setting): string {
  const { path, variable, isSecret, schema } = setting;
  const variables = isSecret ? [variable, `${variable}_FILE`] : [variable];
  const cells = [
    code(path.join('.')),
    variables.map(code).join(', '),
    typeOf(setting),
    defaultOf(setting),
    schema.description,
  ];
  return `| ${cells.join(' | ')} |`;
}

it('lists every setting with its variable, type, default and meaning', async () => {
  const head = ['| in the file | variable | type | default | meaning |', '| --- | --- | --- | --- | --- |'];
  const table = [...head, ...SETTINGS.map(row)].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toMatch(MADE);
  await expect(page.replace(MADE, (_, start, end) => `${start}\n${table}\n\n${end}`)).toMatchFileSnapshot(
    `../../${PAGE}`,
  );
});

it.each(SETTINGS)('has a sentence for $variable', ({ schema }) => {
  expect(schema.description).toMatch(/^[A-Z].*\.$/);
  expect(schema.expected).toBeTruthy();
});

/** Names such as `live` of `live.helo`. */
const SECTIONS = new Set(SETTINGS.filter(({ path }) => path.length > 1).map(({ path }) => path[0]));

it.each(PAGES)('%s names settings that exist', (file) => {
  const known = SETTINGS.map(({ path }) => path.join('.'));
  const named = [...readFileSync(file, 'utf8').matchAll(/`([a-z]\w*(?:\.[a-z]\w*)+)`/gi)].map(
    ([, name]) => name!,
  );
  const wrong = named.filter((name) => {
    const [section = ''] = name.split('.');
    return SECTIONS.has(section) && !known.some((each) => each === name || each.startsWith(`${name}.`));
  });
  expect(wrong).toEqual([]);
});
