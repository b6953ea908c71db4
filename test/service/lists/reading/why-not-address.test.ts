import { expect, it } from 'vitest';
import { hasAddress } from '../../../../src/service/lists/reading/address-in.ts';
import { whyNotAddress } from '../../../../src/service/lists/reading/why-not-address.ts';

it.each([
  ['n/a', 'has no @'],
  ['ada.example.com', 'has no @'],
  ['a@x.example; b@x.example', 'has several addresses'],
  ['ada@@example.com', 'has more than one @'],
  ['ada lovelace@example.com', 'has a space'],
  ['@example.com', 'has nothing before the @'],
  ['ada@', 'has nothing after the @'],
  ['ada..l@example.com', 'has two dots in a row, or a dot at the wrong place'],
  ['ada@example..com', 'has two dots in a row, or a dot at the wrong place'],
  [`${'x'.repeat(65)}@example.com`, 'is longer than an address may be'],
  [`ada@${'x'.repeat(300)}.com`, 'is longer than an address may be'],
  ['ada@exa_mple.com', 'has a domain that cannot exist'],
  ['ada(l)@example.com', 'has a character that no address has'],
])('says that %s is not an address, because it %s', (cell, why) => {
  expect(whyNotAddress(cell)).toBe(why);
  expect(hasAddress(cell)).toBe(false);
});
