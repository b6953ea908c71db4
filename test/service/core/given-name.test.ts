import { describe, expect, it } from 'vitest';
import { whyNotGivenName } from '../../../src/service/core/given-name.ts';

describe('a name of an app', () => {
  it.each([
    ...['Newsletter', 'Café „Über“ 3000', 'משרד', 'نشرة', '週刊ニュース'],
    ...['Verify email', 'Shop ❤\ufe0f & <co>', 'Plain ❤\ufe0e, 1\ufe0f\u20e3 and #\ufe0f\u20e3'],
    ...['Яндекс API, Ελλάδα', 'Tシャツ店 LINEの'],
    'x'.repeat(200),
  ])('may be %j', (name) => {
    expect(whyNotGivenName(name, 'app')).toBeUndefined();
  });

  it.each([
    ['a direction that is turned', 'Bank\u202eelpoeg', 'U+202E'],
    ['an isolate', 'Bank\u2066', 'U+2066'],
    ['a mark of direction', 'Bank\u200f', 'U+200F'],
    ['an Arabic mark of direction', 'Bank\u061c', 'U+061C'],
    ['a space without width', 'Ba\u200bnk', 'U+200B'],
    ['a joiner', 'Ba\u200dnk', 'U+200D'],
    ['a soft hyphen', 'Ba\u00adnk', 'U+00AD'],
    ['a byte order mark', '\ufeffBank', 'U+FEFF'],
    ['a word joiner', 'Ba\u2060nk', 'U+2060'],
    ['a separator of lines', 'Ba\u2028nk', 'U+2028'],
    ['a filler', 'Ba\u3164nk', 'U+3164'],
    ['a variation selector', 'Ba\ufe00nk', 'U+FE00'],
    ['a variation selector of emoji in a word', 'Ba\ufe0fnk', 'U+FE0F'],
    ['a second variation selector', '❤\ufe0f\ufe0f Bank', 'U+FE0F'],
    ['another variation selector after an emoji', '❤\ufe01 Bank', 'U+FE01'],
    ['a tag', 'Bank\u{e0041}', 'U+E0041'],
    ['half a character', 'Bank\ud83d', 'U+D83D'],
  ])('may not have %s, and the message says which', (_, name, code) => {
    expect(whyNotGivenName(name, 'app')).toBe(`without characters that nobody sees, got ${code}`);
    expect(whyNotGivenName(name, 'key')).toContain(code);
  });

  it.each([
    ['\u0415mail verification', '\u0415mail'],
    ['My B\u0430nk', 'B\u0430nk'],
    ['P\u03bfstbank', 'P\u03bfstbank'],
    ['P\u2c9fstbank', 'P\u2c9fstbank'],
    ['\ua4d0ank', '\ua4d0ank'],
  ])('may not mix alphabets in a word, which then looks like another: %j', (name, word) => {
    expect(whyNotGivenName(name, 'app')).toBe(`without words that mix alphabets, got "${word}"`);
    expect(whyNotGivenName(name, 'key')).toBeUndefined();
  });

  it.each([
    ...['Email verification', 'EMAIL-VERIFICATION', 'É m a i l  Verification'],
    ...['Ｅmail verification', 'Email verification Support', 'Emai1 verificati0n', 'Ema|l Veriflcation'],
    ...['Ema\u0131l ver\u0131f\u0131cat\u0131on', 'Emai\u01c0 verific\u0251tion'],
  ])('may not be that of the service: %j', (name) => {
    expect(whyNotGivenName(name, 'app')).toContain('other than that of this service');
  });
});

it('lets a key say that it is for email verification', () => {
  expect(whyNotGivenName('Email verification of the shop', 'key')).toBeUndefined();
  expect(whyNotGivenName('email verification', 'key')).toContain('other than that of this service');
});
