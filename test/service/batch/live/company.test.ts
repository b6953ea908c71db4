import { expect, it } from 'vitest';
import { createCompany } from '../../../../src/service/batch/live/company.ts';

it('expects other accounts until one has been alone for a while', () => {
  let now = 0;
  const company = createCompany(() => now);
  expect(company.isExpected()).toBe(false);
  company.sees(['a']);
  now = 9_999;
  expect(company.isExpected()).toBe(true);
  now = 10_000;
  company.sees(['a']);
  expect(company.isExpected()).toBe(false);
  company.sees(['a', 'b']);
  now = 99_000;
  expect(company.isExpected()).toBe(true);
  company.sees(['b']);
  expect(company.isExpected()).toBe(false);
  company.sees([]);
  company.sees(['b']);
  expect(company.isExpected()).toBe(true);
});
