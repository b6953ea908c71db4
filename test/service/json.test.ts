import { expect, it } from 'vitest';
import { parseJson } from '../../src/service/json.ts';

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
])('refuses more %s than it is told to take', (what, text) => {
  expect(() => parseJson(text, 3)).toThrow(`it has more than 3 ${what}`);
});

it('takes as many lists, objects and names as it is told to', () => {
  expect(parseJson('[[],{"a":1,"b":2,"c":3}]', 3)).toEqual([[], { a: 1, b: 2, c: 3 }]);
});

it.each(['{"a', '{"a\\', '{"\\q":1}', '}]', ':', '"', '{"a":1'])('leaves %s to the parser', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
  expect(() => parseJson(text)).not.toThrow(/there twice|more than/);
});
