import { describe, expect, it } from 'vitest';
import { localeOf } from '../../../src/locales/page/language.ts';

const locales = { de: 'German', pt: 'Portuguese', zh: 'Chinese' };

describe('the texts for a language tag', () => {
  it.each([
    ['de', 'German'],
    ['de-AT', 'German'],
    ['DE', 'German'],
    ['de-Latn-CH-1996', 'German'],
    ['de_DE', 'German'],
    ['pt-BR', 'Portuguese'],
    ['zh', 'Chinese'],
    ['zh-CN', 'Chinese'],
    ['zh-Hans-CN', 'Chinese'],
    ['zh-Hans-HK', 'Chinese'],
    ['zh_SG', 'Chinese'],
    ['zh-Hant', undefined],
    ['zh-hant-CN', undefined],
    ['zh-TW', undefined],
    ['zh_HK', undefined],
    ['zh-cmn-Hant-MO', undefined],
    ['fr', undefined],
    ['deu', undefined],
    ['d', undefined],
    ['en-DE', undefined],
    ['x-de', undefined],
    ['', undefined],
    ['-', undefined],
    ['constructor', undefined],
    ['__proto__', undefined],
  ])('for "%s" are %s', (tag, texts) => {
    expect(localeOf(tag, locales)).toBe(texts);
  });
});
