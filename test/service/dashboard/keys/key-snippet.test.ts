/** The snippet against what the widget and the build really have. */
import { existsSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SITEVERIFY_URLS } from '../../../../src/service/captcha/captcha-providers.ts';
import {
  LANGUAGES,
  OPTIONS,
  readChosen,
  writeSnippet,
} from '../../../../src/service/dashboard/keys/key-snippet.ts';
import { attributeReadings, DEFAULTS, readOption } from '../../../../src/widget/options.ts';

const snippetOf = (
  captcha: keyof typeof SITEVERIFY_URLS | null,
  chosen: ReadonlyMap<string, string> = new Map(),
) => writeSnippet({ url: 'https://verify.example', key: 'test_key', captcha, chosen });

it('offers the languages that there are texts in', () => {
  const files = readdirSync('src/locales').flatMap((name) => /^([a-z]{2})\.ts$/.exec(name)?.[1] ?? []);
  expect(LANGUAGES).toEqual(files);
});

it.each(Object.keys(SITEVERIFY_URLS) as (keyof typeof SITEVERIFY_URLS)[])(
  'loads the helper of %s first',
  (captcha) => {
    const [, helper] =
      /v2\/captcha\/(\S+)\.js" data-sitekey="YOUR-SITE-KEY"><\/script>\n<script defer src/.exec(
        snippetOf(captcha),
      )!;
    expect(existsSync(`src/captcha/${helper}.ts`)).toBe(true);
  },
);

it('tells the widget the URL of a service below a path, because its default is the origin of the script', () => {
  const snippetFor = (url: string) =>
    writeSnippet({ url, key: 'test_key', captcha: null, chosen: new Map() });
  expect(snippetFor('https://verify.example')).not.toContain('data-base-url');
  expect(snippetFor('https://shop.example/verify')).toContain('data-base-url="https://shop.example/verify"');
});

it('writes attributes that the widget takes, for every choice', () => {
  const choices = OPTIONS.flatMap(({ name, choices }) => choices.map(([value]) => [name, value] as const));
  expect(choices.length).toBeGreaterThan(30);
  for (const [name, value] of choices) {
    const chosen = readChosen((option) => (option === name ? value : undefined));
    const attributes = [...snippetOf(null, chosen).matchAll(/ data-([a-z-]+)=(["'])(.*?)\2/g)];
    for (const [, kebab = '', , text = ''] of attributes) {
      const option = kebab.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
      const warnings: string[] = [];
      const read = readOption(
        option,
        attributeReadings(text),
        DEFAULTS,
        (warning) => void warnings.push(warning),
      );
      expect([warnings, read === undefined], `${name}=${value}`).toEqual([[], false]);
    }
    // The first choice is the default, which needs no attribute.
    const isDefault = OPTIONS.some((option) => option.name === name && option.choices[0]![0] === value);
    expect(chosen.size, `${name}=${value}`).toBe(isDefault ? 0 : 1);
  }
});

it('takes the defaults of the widget for its own', () => {
  const first = Object.fromEntries(OPTIONS.map(({ name, choices }) => [name, choices[0]![0]]));
  const { allow, verifyOn, method } = DEFAULTS;
  const { free, role, disposable } = allow;
  expect(allow.states).toEqual(['deliverable', 'risky', 'unknown']);
  expect(first).toEqual({
    ...{ states: 'all', verifyOn, method, locale: 'en' },
    ...{ free: `${free}`, role: `${role}`, disposable: `${disposable}` },
  });
});
