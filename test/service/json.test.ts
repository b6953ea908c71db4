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
  ['levels', `${'['.repeat(40_000)}${']'.repeat(40_000)}`],
  ['names', `{${Array.from({ length: 40_000 }, (_, index) => `"n${index}":1`).join(',')}}`],
])('refuses too many %s', (what, text) => {
  expect(() => parseJson(text)).toThrow(new RegExp(`has more than 32768 ${what}`));
});

it.each(['{"a', '{"a\\', '{"\\q":1}', '}]', ':', '"', '{"a":1'])('leaves %s to the parser', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
  expect(() => parseJson(text)).not.toThrow(/there twice|more than/);
});
