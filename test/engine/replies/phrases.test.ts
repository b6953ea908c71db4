import { describe, expect, it } from 'vitest';
import { foldText, toWords } from '../../../src/engine/replies/fold.ts';
import { compilePhrases } from '../../../src/engine/replies/phrases.ts';
import { PROVIDER_TEXTS } from '../../../src/engine/replies/providers.ts';
import { ABOUT_US } from '../../../src/engine/replies/words/about-us.ts';
import { BLOCK_LISTS } from '../../../src/engine/replies/words/blocks.ts';
import {
  FAULT,
  OUT_OF_SEQUENCE,
  RECIPIENT_VERIFIED,
  SERVER_FULL,
  WAIT,
} from '../../../src/engine/replies/words/faults.ts';
import { FULL } from '../../../src/engine/replies/words/full.ts';
import {
  MAILBOX_BLOCKED,
  UNKNOWN,
  UNKNOWN_ELSEWHERE,
  UNKNOWN_RECIPIENT,
  UNSUPPORTED,
} from '../../../src/engine/replies/words/unknown.ts';

describe('words', () => {
  it.each([
    ['Größe ÜBERSCHRITTEN', 'grosse uberschritten'],
    ['skrzynka pełna', 'skrzynka pelna'],
    ['Œuvre, Æther, Øl, Đ, ı', 'oeuvre, aether, ol, d, i'],
    ["doesn't doesn’t", 'doesnt doesnt'],
    ['Ｕｓｅｒ', 'user'],
    ['ボックス', 'ボックス'],
    ['받는 사람', '받는 사람'],
  ])('%s are folded to %s', (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  it.each([
    ['E-mail, mail box; mail-box', ' email mailbox | mailbox '],
    ['User unknown. Bye', ' user unknown | bye '],
    ['over-quota on 5.2.2 and 1.2', ' overquota on and '],
    ['user... unknown', ' user unknown '],
    ['black-list time-out can not', ' blacklist timeout cannot '],
    ['a|b', ' a b '],
    ['codes 10.2, 1.20 and a1.2b', ' codes and a b '],
    ['unkown user', ' unknown user '],
    ['destin. sconosciuto', ' destin sconosciuto '],
    ['', '  '],
  ])('of "%s" are "%s"', (text, words) => {
    expect(toWords(text)).toBe(words);
  });
});

describe('a phrase', () => {
  const matches = (phrase: string, text: string) => compilePhrases([[phrase, 'here']]).test(toWords(text));

  it.each([
    ['user unknown', 'the user unknown here', true],
    ['user unknown', 'the superuser unknown', false],
    ['user unknown', 'user unknowns', false],
    ['user unknown', 'user. unknown', false],
    ['user|account unknown', 'account unknown', true],
    ['user is? unknown', 'user unknown', true],
    ['user is? unknown', 'user is unknown', true],
    ['user is? unknown', 'user was unknown', false],
    ['exceed* quota', 'exceeded quota', true],
    ['user .. unknown', 'user a b unknown', true],
    ['user .. unknown', 'user a b c unknown', false],
    ['user ... unknown', 'user a b c d unknown', true],
    ['user ... unknown', 'user a b c d e unknown', false],
    ['user ... unknown', 'user a. b unknown', false],
    ['*不存在*', '该用户不存在了', true],
    ['*不存在*', '该用户存在', false],
    ['exceed*', 'unexceeded', false],
    ['quot*exceed*', 'quotaexceeded', true],
    ['*不*在*', '该用户不存在了', true],
    ['größe', 'GRÖSSE', true],
    ['größe', 'Größe', true],
  ])('"%s" in "%s": %s', (phrase, text, found) => {
    expect(matches(phrase, text)).toBe(found);
  });

  it('is one of several, and a character beyond the first 65,536 counts as one', () => {
    const phrases = compilePhrases([
      ['user unknown', 'here'],
      ['a*b', 'here'],
    ]);
    expect(phrases.test(toWords('user unknown'))).toBe(true);
    expect(phrases.test(toWords(`a${'𐐨'.repeat(20)}b`))).toBe(true);
    expect(phrases.test(toWords(`a${'𐐨'.repeat(21)}b`))).toBe(false);
    expect(phrases.test(toWords('user'))).toBe(false);
  });

  const tables = [
    ...ABOUT_US.flatMap(({ phrases }) => phrases),
    ...[BLOCK_LISTS, WAIT, SERVER_FULL, RECIPIENT_VERIFIED, OUT_OF_SEQUENCE, FAULT, FULL].flat(),
    ...[UNKNOWN, UNKNOWN_ELSEWHERE, UNKNOWN_RECIPIENT, MAILBOX_BLOCKED, UNSUPPORTED].flat(),
    ...PROVIDER_TEXTS.map(({ phrase, source }) => [phrase, source] as const),
  ];

  it.each(tables)('of the tables has a source: %s', (phrase, source) => {
    expect(() => compilePhrases([[phrase, source]])).not.toThrow();
    expect(source).toMatch(/^https?:\/\/\S+$/);
  });
});
