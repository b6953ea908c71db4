/** The words for what the widget decides: each names the rule, and the option that it comes from. */
import { describe, expect, it } from 'vitest';
import { reasonOfError, reasonOfVerdict, whenAsked } from '../../src/debug/reasons.ts';
import { exampleResult } from '../../src/testing/replies.ts';
import { judge, messageOf } from '../../src/widget/check/policy.ts';
import { DEFAULTS } from '../../src/widget/options.ts';

describe('the reason of a verdict', () => {
  const { allow } = DEFAULTS;
  const risky = { state: 'risky', reason: 'low_quality' } as const;
  const typo = { did_you_mean: 'joe@gmail.com' };

  it.each([
    [{}, allow, true, 'state deliverable (accepted_email) is allowed'],
    [
      risky,
      { ...allow, states: ['deliverable' as const] },
      false,
      'state risky (low_quality) is not in allow.states',
    ],
    [{ disposable: true }, allow, false, 'it is disposable, and allow.disposable is false'],
    [{ role: true, free: true }, { ...allow, free: false }, false, 'it is free, and allow.free is false'],
    [
      { role: true },
      { ...allow, role: 'warn' as const },
      true,
      'state deliverable (accepted_email) is allowed, with a hint: allow.role is "warn"',
    ],
    [
      typo,
      allow,
      true,
      'state deliverable (accepted_email) is allowed; the service suggests another address',
    ],
  ])('of %o', (fields, policy, accepted, reason) => {
    const result = exampleResult('joe@b.example', fields);
    const verdict = judge({ ...result }, policy, DEFAULTS.messages);
    // The reason is for what the widget itself decides.
    expect(verdict._rejects).toBe(!accepted);
    const verificationData = { body: JSON.stringify(result), status: 200, proof: null };
    const detail = { accepted, message: messageOf(verdict), verificationData };
    expect(reasonOfVerdict(detail, policy)).toBe(reason);
  });

  it('for text that cannot be an address', () => {
    const detail = { accepted: false, message: '', verificationData: { body: '{}', status: 0, proof: null } };
    expect(reasonOfVerdict(detail, allow)).toBe('it cannot be an address, so the widget sent no request');
  });
});

it('says that an error leaves the form free, unless blockOnRateLimit applies', () => {
  const limited = { status: 429, message: 'Rate Limit Exceeded' };
  const goesOn = 'status 429: Rate Limit Exceeded – the form can be submitted';
  expect(reasonOfError(limited, DEFAULTS)).toBe(goesOn);
  expect(reasonOfError(limited, { ...DEFAULTS, blockOnRateLimit: true })).toContain(
    'blockOnRateLimit is true',
  );
  expect(reasonOfError({ status: 0, message: 'No connection. Check baseUrl.' }, DEFAULTS)).toBe(
    'No connection. Check baseUrl. – the form can be submitted',
  );
});

it.each([
  ['input', 'verifies 1000 ms after the last change'],
  ['blur', 'verifyOn is "blur"'],
  ['submit', 'verifyOn is "submit"'],
] as const)('says when a change is verified by verifyOn: %s', (verifyOn, words) => {
  expect(whenAsked({ ...DEFAULTS, verifyOn })).toContain(words);
});
