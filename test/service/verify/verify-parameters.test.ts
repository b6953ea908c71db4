import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/service/core/failures.ts';
import { mergeParameters } from '../../../src/service/verify/verify-parameters.ts';

const merge = (parameters: Record<string, unknown[]>) => mergeParameters(new Map(Object.entries(parameters)));

describe('the parameters of a request', () => {
  it('are those that were given, and no others', () => {
    expect(merge({ email: ['jane@company.example'], api_key: ['test_private'], _: ['1'] })).toEqual({
      email: 'jane@company.example',
    });
    expect(merge({})).toEqual({});
  });

  it.each<[string, unknown, unknown]>([
    ['smtp', 'true', true],
    ['smtp', 'false', false],
    ['accept_all', true, true],
    ['accept_all', 'TRUE', 'TRUE'],
    ['smtp', '', ''],
    ['timeout', '0', 0],
    ['timeout', '7', 7],
    ['timeout', '10', 10],
    ['timeout', '100000', 100_000],
    ['timeout', '1000000', '1000000'],
    ['timeout', 7, 7],
    ['timeout', '07', '07'],
    ['timeout', '00', '00'],
    ['timeout', '7.0', '7.0'],
    ['timeout', 'x7', 'x7'],
    ['timeout', '7x', '7x'],
    ['timeout', 'true', 'true'],
    ['timeout', ['7'], ['7']],
    ['email', 'true', 'true'],
    ['email', '7', '7'],
    ['captcha_response', '7', '7'],
  ])('take %s=%j for %j', (name, value, taken) => {
    expect(merge({ [name]: [value] })).toEqual({ [name]: taken });
  });

  it.each([
    ['catch_all', 'accept_all'],
    ['catchall', 'accept_all'],
    ['emails', 'email'],
    ['Email', 'email'],
    ['timeouts', 'timeout'],
    ['captcha_respons', 'captcha_response'],
  ])('are refused as %s, which can only be meant for %s', (sent, right) => {
    expect(() => merge({ email: ['jane@company.example'], [sent]: ['true'] })).toThrow(
      new Failure('badRequest', `Expected the parameter ${right}, got ${sent}. Rename it.`),
    );
  });

  it('may be there twice when both say the same, each in its own way', () => {
    const twice = { timeout: ['5', 5], smtp: ['false', false], email: ['a', 'a'] };
    expect(merge(twice)).toEqual({ timeout: 5, smtp: false, email: 'a' });
  });

  it.each<[string, unknown[]]>([
    ['timeout', ['5', '6']],
    ['smtp', ['true', false]],
    ['email', ['5', 5]],
  ])('are refused when two of them differ: %s %j', (name, values) => {
    expect(() => merge({ [name]: values })).toThrow(
      new Failure('badRequest', `Expected one value for ${name}, got several that differ.`),
    );
  });
});
