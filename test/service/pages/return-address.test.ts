import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readReturnAddress } from '../../../src/service/pages/return-address.ts';

it('takes a path of this service, with its query', () => {
  expect(readReturnAddress('/oauth/authorize?state=a%20b&x=%2F%2Fy')).toBe(
    '/oauth/authorize?state=a%20b&x=%2F%2Fy',
  );
  expect(readReturnAddress('/')).toBe('/');
  expect(readReturnAddress('/a/../login')).toBe('/login');
  expect(readReturnAddress('/login#fragment')).toBe('/login');
});

it.each([
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/ /evil.example',
  ' //evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  '///evil.example',
  'javascript:alert(1)',
  'evil.example',
  '/\u2028/evil.example',
  '',
  undefined,
])('refuses %j, which leads elsewhere or nowhere', (text) => {
  expect(readReturnAddress(text)).toBeUndefined();
});

it('leads to this service, whatever it is given', () => {
  const pieces = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '%2e',
    '%2f',
    '\t',
    '@',
    ':',
    'evil.example',
    '?',
    '#',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
      const address = readReturnAddress(`/${parts.join('')}`);
      if (address !== undefined) expect(new URL(address, 'https://self.example').host).toBe('self.example');
    }),
    { numRuns: 2_000 },
  );
});
