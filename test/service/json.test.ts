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
