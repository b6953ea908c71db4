import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { localeFor } from '../../src/locales/auto.ts';
import { LOCALES } from '../../src/locales/page/every-language.ts';
import type { LocaleTexts } from '../../src/locales/page/texts.ts';
import { DEFAULTS } from '../../src/widget/options.ts';

const PLACEHOLDER = '[EMAIL]';
/** A text that is empty by default is the browser's own, which is in the visitor's language already. */
const NAMES = Object.entries(DEFAULTS.messages).flatMap(([name, text]) => (text ? [name] : []));
/** In UTF-16 units: two lines of the floating status. */
const LONGEST = 80;

const languages = readdirSync('src/locales')
  .filter((name) => name.endsWith('.ts') && name !== 'auto.ts')
  .map((name) => name.slice(0, -'.ts'.length));

/** As they are in the files themselves, whatever the one that chooses has. */
const TEXTS: Record<string, LocaleTexts> = {};
for (const language of languages)
  TEXTS[language] = (await import(`../../src/locales/${language}.ts`)).default;

const isRightToLeft = (language: string) =>
  /\p{Script=Arabic}|\p{Script=Hebrew}/u.test(TEXTS[language]!.free);

describe('the languages', () => {
  it('include some that are written from right to left', () => {
    expect(languages.length).toBeGreaterThanOrEqual(12);
    expect(languages.filter(isRightToLeft).length).toBeGreaterThanOrEqual(2);
  });

  it('are named by their subtag, and auto contains all of them', () => {
    expect(LOCALES).toEqual(TEXTS);
    for (const language of languages) expect(Intl.getCanonicalLocales(language)).toEqual([language]);
  });

  it('have different texts', () => {
    expect(new Set(Object.values(TEXTS).map(({ invalid }) => invalid)).size).toBe(languages.length);
  });

  it('are all in docs/widget.md, and the README counts them', () => {
    const page = readFileSync('docs/widget.md', 'utf8');
    for (const language of languages) expect(page).toContain(`\`${language}\``);
    expect(readFileSync('README.md', 'utf8')).toContain(`[${languages.length} more languages]`);
  });
});

/** "Personal", "private", "individual": what people call an address that is not their employer's. */
const PRIVATE =
  /شخصي|شخصی|خاص|osobní|soukrom|personlig|privat|persönlich|personal|particular|אישי|פרטי|個人|personal|privé|persoonlijk|prywatn|osobist|pessoal|личн|частн|kişisel|özel|особист|приватн|개인|个人/i;

it.each(languages)(
  'asks for one’s own address, not for a private one, in the role text in %s',
  (language) => {
    expect(TEXTS[language]!.role).not.toMatch(PRIVATE);
  },
);

describe.each(languages)('in %s', (language) => {
  const texts = TEXTS[language]!;
  const all = Object.entries(texts);

  it('has every text of the widget, and no other', () => {
    expect(Object.keys(texts)).toEqual(NAMES);
    expect(new Set(Object.values(texts)).size).toBe(NAMES.length);
  });

  it('has [EMAIL] once, in the suggestion', () => {
    for (const [name, text] of all) {
      expect([name, text.split(PLACEHOLDER).length - 1]).toEqual([name, name === 'didYouMean' ? 1 : 0]);
    }
  });

  it.each(all)('%s is one short line of plain text', (_, text) => {
    expect(text).not.toBe('');
    expect(text).toBe(text.trim());
    expect(text).toBe(text.normalize());
    expect(text).not.toMatch(/[<>&\n\t]|\.\.\.| {2}/);
    expect(text.length).toBeLessThanOrEqual(LONGEST);
  });

  it('ends "verifying" with an ellipsis, the suggestion with a question mark, and all others with a full stop', () => {
    for (const [name, text] of all) {
      const end = { verifying: '…', didYouMean: /[?？؟]$/ }[name] ?? /[.。]$/;
      expect(text).toMatch(end);
    }
  });
});

it.each(languages.filter(isRightToLeft))('keeps the address’s own direction in %s', (language) => {
  expect(TEXTS[language]!.didYouMean).toContain(`\u2068${PLACEHOLDER}\u2069`);
});

describe('localeFor', () => {
  it('returns the texts for a tag', () => {
    expect(localeFor('de-AT')).toBe(LOCALES.de);
  });

  it('returns no texts for an unknown language', () => {
    expect(localeFor('tlh')).toEqual({});
    expect(localeFor('')).toEqual({});
  });

  it('takes the document’s language by default', () => {
    vi.stubGlobal('document', { documentElement: { lang: 'pt-BR' } });
    expect(localeFor()).toBe(LOCALES.pt);
  });

  it('returns no texts on a server', () => {
    expect(localeFor()).toEqual({});
  });
});
