import { describe, expect, it } from 'vitest';
import { type JsonLimits, parseJson, parseJsonInSteps } from '../../../src/service/core/json.ts';
import { LongList, LongText } from '../../../src/shared/long-text.ts';
import { atOnce, STEP_CHARACTERS } from '../../../src/shared/steps.ts';
import { inLong } from '../../in-long.ts';

const limits = (most: number): JsonLimits => ({
  ...{ names: most, lists: most, entries: most, innerEntries: most, depth: most },
});

it.each([
  '{"a":1,"b":{"a":1}}',
  '[{"a":1},{"a":1}]',
  '{"a":"a","b":["a","a"]}',
  '{"a":"{\\"a\\":1,\\"a\\":2}"}',
  '1',
  '"a"',
])('takes %s', (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text));
});

it.each(['{"a":1,"a":1}', '{"b":{"a":1,"c":[{}],"a":2}}', '{"a":1,"\\u0061":2}', '[1,{"a":{"a":1},"a":2}]'])(
  'refuses a name that is there twice in %s',
  (text) => {
    expect(() => parseJson(text)).toThrow(/is there twice/);
  },
);

inLong('takes a text of 8 MiB, with quotes in it and without', () => {
  for (const text of ['a'.repeat(8 * 1024 * 1024), '\\"'.repeat(4 * 1024 * 1024), '\\'.repeat(4_000_000)]) {
    expect(parseJson(JSON.stringify({ text }))).toEqual({ text });
  }
});

it.each([
  ['lists and objects', '[[[]],{}]'],
  ['lists and objects', '[[[['],
  ['names', '{"a":1,"b":{"a":1,"c":1}}'],
  ['entries of a list', '[1,2,[3],4,5]'],
  ['entries of inner lists', '[[1,2,[3,4,5]]]'],
])('refuses more %s than it is told to take', (what, text) => {
  expect(() => parseJson(text, limits(3))).toThrow(`it has more than 3 ${what}`);
});

it('refuses a text that is nested too deeply', () => {
  const message = 'it has more than 3 lists and objects within each other';
  expect(() => parseJson('[[[[]]]]', { ...limits(9), depth: 3 })).toThrow(message);
  expect(() => parseJson('['.repeat(4_000_000))).toThrow('within each other');
});

it('takes as many lists, objects and names as it is told to', () => {
  expect(parseJson('[[],{"a":1,"b":2,"c":3}]', limits(3))).toEqual([[], { a: 1, b: 2, c: 3 }]);
});

it.each(['{"a', '{"a\\', '{"\\q":1}', '}]', ':', '"', '{"a":1'])('leaves %s to the parser', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
  expect(() => parseJson(text)).not.toThrow(/there twice|more than/);
});

/** Cuts the text into pieces of many lengths, as a body arrives, and puts what is in pieces together. */
function parseInSteps(text: string, longest = STEP_CHARACTERS): unknown {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)!.length)
    pieces.push(text.slice(at, at + longest - (pieces.length % 7)));
  const whole = (value: unknown): unknown => {
    if (value instanceof LongText) return value.slice(0);
    if (value instanceof LongList) return value.parts.flatMap((part) => part.map(whole));
    return Array.isArray(value) ? value.map(whole) : value;
  };
  const value = atOnce(parseJsonInSteps(new LongText(pieces), NO_LIMITS));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return whole(value);
  if (value instanceof LongList || value instanceof LongText) return whole(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, whole(each)]));
}
const NO_LIMITS = { names: 1e9, lists: 1e9, entries: 1e9, innerEntries: 1e9, depth: 100 };

describe('a string of several steps', () => {
  const long = (text: string) => text.repeat((3 * STEP_CHARACTERS) / text.length + 1);

  it.each([
    ['as a value', `{"a":"${long('x,]')}","b":1}`],
    ['as an entry', `{"a":["b","${long('[:{')}",{"c":2}]}`],
    ['as an entry of a long list', `[${'"a",'.repeat(STEP_CHARACTERS)}"${long('[:{')}",7]`],
    ['as the whole value', ` "${long('é')}" `],
    ['with escapes that a step could cut', `{"a":"${long('\\u00e9\\n\\\\\\"x')}"}`],
    ['of backslashes', `{"a":"${long('\\\\')}","b":["${long('\\\\')}\\n"]}`],
    ['of characters with two halves', `{"a":"${long('\u{1f600}')}"}`],
    ['as a name', `{"${long('a')}":{"b":1},"c":2}`],
  ])('has the same value as by the parser: %s', (_, text) => {
    const values = (value: unknown) => JSON.stringify(Object.values(value as object));
    expect(values(parseInSteps(text)) === values(JSON.parse(text))).toBe(true);
  });

  it.each([
    ['a line break', (text: string) => `{"a":"${text}\n${text}"}`],
    ['a broken escape', (text: string) => `{"a":"${text}\\x${text}"}`],
    ['a broken long escape', (text: string) => `{"a":["${text}\\u00g0${text}"]}`],
    ['no end', (text: string) => `{"a":"${text}`],
  ])('is refused with %s', (_, text) => {
    expect(() => parseInSteps(text(long('x')))).toThrow(SyntaxError);
  });

  it('is never taken for another one', () => {
    const [one, other] = [long('x'), long('y')];
    expect(parseInSteps(`{"a":"${one}","b":["${other}","0"],"c":"1"}`)).toEqual({
      ...{ a: one, b: [other, '0'], c: '1' },
    });
  });
});

it('refuses what the parser would have to read at once', () => {
  const text = `{${Array.from({ length: 9 }, (_, index) => `"${index}":"${'x'.repeat(STEP_CHARACTERS / 8)}"`).join()}}`;
  expect(() => parseInSteps(text)).toThrow('it has more than 256 KiB beside its long lists and texts');
});

it('reads a name once, however many colons follow it', () => {
  let read = 0;
  const original = JSON.parse;
  JSON.parse = (...values) => {
    read += values[0].length;
    return original(...values);
  };
  const text = `{"${'\\n'.repeat(1_000)}"${':'.repeat(1_000)}`;
  try {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  } finally {
    JSON.parse = original;
  }
  expect(read).toBeLessThan(3 * text.length);
});

describe('a list of several steps', () => {
  const long = (entry: string) =>
    Array.from({ length: (3 * STEP_CHARACTERS) / entry.length }, () => entry).join();

  it.each([
    ['texts', `{"a":[${long('"b,]\\""')}]}`],
    ['lists and objects', `{"a":[${long('[1,{"b":[2,3]}]')}],"c":[4]}`],
    ['white space', ` { "a" : [ ${long(' null ')} ] } `],
    ['several lists', `{"a":[${long('1')}],"b":{"c":[2]},"__proto__":[${long('3')}],"d":5}`],
    ['a list as the whole value', `[[1],${long('2')},[3,4]]`],
    ['a name with escapes', `{"\\u0061\\"":[${long('true')}]}`],
  ])('has the same value as by the parser: %s', (_, text) => {
    // By their text, because a comparison of so many values takes long.
    expect(JSON.stringify(parseInSteps(text)) === JSON.stringify(JSON.parse(text))).toBe(true);
  });

  it.each([
    ['an empty entry', (list: string) => `{"a":[${list},,${list}]}`],
    ['many empty entries', () => `{"a":[${','.repeat(3 * STEP_CHARACTERS)}]}`],
    ['a comma at its end', (list: string) => `{"a":[${list},]}`],
    ['a comma at its beginning', (list: string) => `{"a":[,${list}]}`],
    ['a colon', (list: string) => `{"a":[${list},1:2,${list}]}`],
    ['another bracket at its end', (list: string) => `{"a":[${list}}}`],
    ['another bracket in the middle', (list: string) => `{"a":[${list},(],${list}]}`],
    ['no end', (list: string) => `{"a":[${list}`],
    ['another list after it', (list: string) => `[${list}],[1]`],
    ['a list around it that does not end', (list: string) => `[[${list}]`],
    ['no name', (list: string) => `{[${list}]}`],
    ['something after it', (list: string) => `{"a":[${list}]x}`],
  ])('is refused with %s', (_, text) => {
    expect(() => parseInSteps(text(long('1')))).toThrow(SyntaxError);
  });

  it('is refused under a name that is there twice', () => {
    expect(() => parseInSteps(`{"a":[${long('1')}],"a":[${long('2')}]}`)).toThrow(/is there twice/);
  });
});
