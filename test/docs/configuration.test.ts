/** docs/configuration.md lists every setting. `npm run configuration` writes its tables. */
import { readFileSync } from 'node:fs';
import type { TSchema } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { ConfigSchema } from '../../src/service/config/config-schema.ts';
import { SETTINGS, type Setting } from '../../src/service/config/variables.ts';
import { PAGES } from './blocks.ts';

const PAGE = 'docs/configuration.md';
const MADE = /(<!-- Made by .* -->\n)[\s\S]*(<!-- End of what is made. -->)/;
const HEAD = ['| setting | variable | type | default | meaning |', '| --- | --- | --- | --- | --- |'];

const code = (text: string) => `\`${text}\``;

const UNITS: readonly (readonly [number, string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

/** Many seconds in a larger unit. Empty for few. */
function inWords(seconds: number): string {
  const [size, unit] = UNITS.find(([one]) => seconds >= one && seconds % one === 0) ?? [];
  if (size === undefined) return '';
  const count = seconds / size;
  return ` (${count} ${unit}${count === 1 ? '' : 's'})`;
}

function typeOf({ schema }: Setting): string {
  const { expected, unit } = schema as { expected?: string; unit?: string };
  const words = expected?.replace(/\d{4,}/g, (digits) => Number(digits).toLocaleString('en'));
  return unit === undefined || words?.includes(unit) ? words! : `${words} (${unit})`;
}

/** The section of a setting. Undefined for a setting at the top of the file. */
function sectionOf({ path }: Setting): TSchema | undefined {
  const schema: TSchema = ConfigSchema.properties[path[0] as keyof typeof ConfigSchema.properties];
  return schema.type === 'object' ? schema : undefined;
}

function defaultOf(setting: Setting): string {
  const { schema, path } = setting;
  if (schema.default === undefined)
    return sectionOf(setting)?.required?.includes(path[1]) ? 'required' : 'none';
  const text = typeof schema.default === 'string' ? schema.default : JSON.stringify(schema.default);
  return code(text) + (schema.unit === 'seconds' ? inWords(schema.default) : '');
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

/** A heading, what the section is for, and a table. */
function partOf(section: TSchema | undefined): string {
  const settings = SETTINGS.filter((setting) => sectionOf(setting) === section);
  const lead = section ? [section.description!] : [];
  const table = [...HEAD, ...settings.map(row)].join('\n');
  return [`### ${section?.title ?? 'Service'}`, ...lead, table].join('\n\n');
}

it('lists every setting with its variable, type, default and meaning', async () => {
  const sections = new Set([undefined, ...SETTINGS.map(sectionOf)]);
  const parts = [...sections].map(partOf).join('\n\n');
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toMatch(MADE);
  await expect(page.replace(MADE, (_, start, end) => `${start}\n${parts}\n\n${end}`)).toMatchFileSnapshot(
    `../../${PAGE}`,
  );
});

it.each(SETTINGS)('has a sentence for $variable', ({ schema }) => {
  expect(schema.description).toMatch(/^[A-Z].*\.$/);
  expect(schema.expected).toBeTruthy();
});

/** Names such as `live` of `live.helo`. */
const SECTIONS = new Set(SETTINGS.filter(({ path }) => path.length > 1).map(({ path }) => path[0]));

it.each(PAGES)('names settings that exist in %s', (file) => {
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
