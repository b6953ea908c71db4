import { describe, expect, it } from 'vitest';
import { type JsonLimits, parseJson } from '../../../src/service/core/json.ts';
import { STEP_CHARACTERS } from '../../../src/shared/steps.ts';

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

it('takes a text of 8 MiB, with quotes in it and without', () => {
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
  expect(() => parseJson('[[[[]]]]', { ...limits(9), depth: 3 })).toThrow(
    'it has more than 3 lists and objects within each other',
  );
  expect(() => parseJson('['.repeat(4_000_000))).toThrow('within each other');
});

it('takes as many lists, objects and names as it is told to', () => {
  expect(parseJson('[[],{"a":1,"b":2,"c":3}]', limits(3))).toEqual([[], { a: 1, b: 2, c: 3 }]);
});

it.each(['{"a', '{"a\\', '{"\\q":1}', '}]', ':', '"', '{"a":1'])('leaves %s to the parser', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
  expect(() => parseJson(text)).not.toThrow(/there twice|more than/);
});

describe('a list of several steps', () => {
  const long = (entry: string) =>
    Array.from({ length: (3 * STEP_CHARACTERS) / entry.length }, () => entry).join();

  it.each([
    ['texts', `{"a":[${long('"b,]\\""')}]}`],
    ['lists and objects', `{"a":[${long('[1,{"b":[2,3]}]')}],"c":[4]}`],
    ['white space', ` { "a" : [ ${long(' null ')} ] } `],
    ['several lists', `{"a":[${long('1')}],"b":{"c":[${long('2')}]},"__proto__":[${long('3')}],"d":5}`],
    ['a list as the whole value', `[[1],${long('2')},[3,4]]`],
    ['a name with escapes', `{"\\u0061\\"":[${long('true')}]}`],
  ])('has the same value as by the parser: %s', (_, text) => {
    // By their text, because a comparison of so many values takes long.
    expect(JSON.stringify(parseJson(text)) === JSON.stringify(JSON.parse(text))).toBe(true);
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
    expect(() => parseJson(text(long('1')))).toThrow(SyntaxError);
  });

  it('is refused under a name that is there twice', () => {
    expect(() => parseJson(`{"a":[${long('1')}],"a":[${long('2')}]}`)).toThrow(/is there twice/);
  });
});
