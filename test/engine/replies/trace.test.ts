import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forTrace, MOST_TRACED } from '../../../src/engine/replies/trace.ts';

const KNOWN = ['jane.roe@company.example', 'probe@verify.example'];

describe('the text of a reply in the evidence', () => {
  it.each([
    ['5.1.1 <jane.roe@company.example>: User unknown', '5.1.1 <[address]>: User unknown'],
    ['JANE.ROE@COMPANY.EXAMPLE is gone', '[address] is gone'],
    ['sender probe@verify.example refused', 'sender [address] refused'],
    ['ask postmaster@other.example.', 'ask [address]'],
    ['mailto:someone@other.example?subject=no', 'mailto:[address]'],
    ['see https://other.example/?for=jane.roe%40company.example', 'see https://other.example/?for=[address]'],
    ['no "jane roe"@company.example here', 'no [address] here'],
    ['no jane.roe＠company.example', 'no [address]'],
    ['no jane&#64;company.example', 'no [address]'],
    ['no jane.roe @ company.example', 'no [address]'],
    ['no jane@[192.0.2.1]', 'no [address][192.0.2.1]'],
    ['bounces+jane.roe=company.example@verify.example', '[address]'],
    ['User jane.roe not found', 'User [address] not found'],
    ['jane.roe-smith and xjane.roe', 'jane.roe-smith and xjane.roe'],
    ['用户@company.example 不存在', '[address] 不存在'],
    ['a\u0000b\u001b[31mc\u202ed\r\ne\ufffdf', 'a b [31mc d e f'],
    ['lone \ud800 half', 'lone  half'],
    ['  spaces   are  one ', 'spaces are one'],
    ['', ''],
  ])('of "%s" is "%s"', (text, traced) => {
    expect(forTrace(text, KNOWN)).toBe(traced);
  });

  it('keeps a local part that is a word of replies', () => {
    expect(forTrace('user unknown', ['user@company.example'])).toBe('user unknown');
  });

  it('removes addresses that were not passed in', () => {
    expect(forTrace('<jane.roe@company.example>')).toBe('<[address]>');
  });

  it('ignores an invalid address', () => {
    expect(forTrace('no such user', ['', '@company.example'])).toBe('no such user');
    expect(forTrace('no (,) user', ['', '@company.example'])).toBe('no (,) user');
  });

  it('is the same for harmless text, which is not looked at again', () => {
    const text = fc.oneof(
      fc.string({ maxLength: MOST_TRACED + 5 }),
      fc.string({ unit: fc.constantFrom('a', ' ', '@', '"', '&#64;', '%40', '\n') }),
    );
    // An empty address is ignored, and takes every look.
    fc.assert(fc.property(text, (one) => forTrace(one) === forTrace(one, [''])));
  });

  it('is bounded, and does not end within a character', () => {
    expect(forTrace('x'.repeat(MOST_TRACED))).toBe('x'.repeat(MOST_TRACED));
    expect(forTrace('x '.repeat(MOST_TRACED))).toHaveLength(MOST_TRACED);
    expect(forTrace(`${'x'.repeat(MOST_TRACED - 2)}😀😀`)).toBe(`${'x'.repeat(MOST_TRACED - 2)}…`);
  });

  it('shows no part of an address that the bound has cut', () => {
    const text = `${' '.repeat(8185)}jane.roe@company.example`;
    expect(forTrace(text)).toBe('');
    expect(forTrace(`${' '.repeat(8182)}first second third`)).toBe('first');
    expect(forTrace(`${' '.repeat(8187)}whole`)).toBe('whole');
  });

  it('never contains an address', () => {
    const address = fc.emailAddress();
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), address)), address, (parts, known) => {
        const traced = forTrace([...parts, known].join(' '), [known]);
        expect(traced).not.toContain('@');
        expect(traced.length).toBeLessThanOrEqual(MOST_TRACED);
        expect(traced).not.toMatch(/[\p{Cc}\p{Surrogate}]/u);
      }),
    );
  });
});
