import { expect, it } from 'vitest';
import { isLargeDomain } from '../../../src/engine/facts/large-providers.ts';

it.each([
  ['gmail.com', true],
  ['outlook.com', true],
  ['gmial.com', false],
  ['company.example', false],
  ['mail.gmail.com', false],
])('tells whether %s is a large free provider: %s', (domain, expected) => {
  expect(isLargeDomain(domain)).toBe(expected);
});
