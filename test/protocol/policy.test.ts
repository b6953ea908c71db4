import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Allow, type Allowance, DEFAULT_ALLOW, isAllowed } from '../../src/protocol/policy.ts';
import { type CheckedResult, STATES } from '../../src/protocol/result.ts';
import { judge } from '../../src/widget/check/policy.ts';
import { DEFAULTS } from '../../src/widget/options.ts';

const attribute = fc.oneof(fc.boolean(), fc.constantFrom(undefined, null, 'true', 1));
const allowance = fc.constantFrom<Allowance>(true, false, 'warn');
const result: fc.Arbitrary<CheckedResult> = fc.record({
  state: fc.constantFrom(...STATES),
  free: attribute,
  role: attribute,
  disposable: attribute,
  did_you_mean: fc.constantFrom(null, 'anna@shop.example'),
});
const allow: fc.Arbitrary<Allow> = fc.record({
  states: fc.subarray([...STATES]),
  free: allowance,
  role: allowance,
  disposable: allowance,
});

it('accepts on a server what the widget accepts, by the same defaults', () => {
  fc.assert(
    fc.property(result, allow, (given, rules) => {
      expect(isAllowed(given, rules)).toBe(!judge(given, rules, DEFAULTS.messages)._rejects);
    }),
  );
  expect(DEFAULTS.allow).toBe(DEFAULT_ALLOW);
});
