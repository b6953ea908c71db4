import { expect, it } from 'vitest';
import { createPerSecondLimit } from '../../../src/service/limits/per-second.ts';

it('begins a second with a request, not with the clock’s own second', () => {
  let now = 10_900;
  const take = createPerSecondLimit(2, () => now);
  expect([take('key'), take('key'), take('key')].map(({ allowed }) => allowed)).toEqual([true, true, false]);
  now = 11_899;
  expect(take('key').allowed).toBe(false);
  now = 11_900;
  expect(take('key')).toEqual({ allowed: true, remaining: 1, resetAt: 12_900 });
});

it('counts each client by itself', () => {
  const take = createPerSecondLimit(1, () => 0);
  expect([take('one'), take('other'), take('one')].map(({ allowed }) => allowed)).toEqual([
    true,
    true,
    false,
  ]);
});

it('is not closed by a clock that is set back', () => {
  let now = 1_000_000;
  const take = createPerSecondLimit(1, () => now);
  take('key');
  now = 0;
  expect(take('key').allowed).toBe(true);
});
