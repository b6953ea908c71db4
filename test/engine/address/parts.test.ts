import { expect, it } from 'vitest';
import { splitAddress } from '../../../src/engine/address/parts.ts';

it.each([
  ['jane@company.example', { local: 'jane', user: 'jane', tag: null, domain: 'company.example' }],
  ['jane+news+more@company.example', { local: 'jane+news+more', user: 'jane', tag: 'news+more' }],
  ['j+news@company.example', { local: 'j+news', user: 'j', tag: 'news' }],
  ['jane+@company.example', { local: 'jane+', user: 'jane', tag: '' }],
  ['+jane@company.example', { local: '+jane', user: '+jane', tag: null }],
  ['"a+b"@company.example', { local: '"a+b"', user: '"a+b"', tag: null }],
  ['a+b"@company.example', { local: 'a+b"', user: 'a', tag: 'b"' }],
  ['"a@b"@company.example', { local: '"a@b"', domain: 'company.example' }],
  ['@company.example', { local: '', user: '', tag: null, domain: 'company.example' }],
  ['jane@', { local: 'jane', user: 'jane', tag: null, domain: '' }],
  ['jane', { local: 'jane', user: 'jane', tag: null, domain: '' }],
  ['', { local: '', user: '', tag: null, domain: '' }],
])('splits "%s"', (address, parts) => {
  expect(splitAddress(address)).toMatchObject(parts);
});
