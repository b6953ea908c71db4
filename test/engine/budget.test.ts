import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBudget } from '../../src/engine/budget.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it('aborts when the whole time is over, and not before', () => {
  const budget = createBudget(1000, 500);
  vi.advanceTimersByTime(999);
  expect([budget.signal.aborted, budget.leftMs()]).toEqual([false, 1]);
  vi.advanceTimersByTime(1);
  expect([budget.signal.aborted, budget.leftMs()]).toEqual([true, 0]);
  vi.advanceTimersByTime(1000);
  expect(budget.leftMs()).toBe(0);
});

it('shares half of the caller’s time, and then half of the rest', () => {
  const budget = createBudget(1000, 500);
  expect(budget.shareMs()).toBe(250);
  vi.advanceTimersByTime(300);
  expect(budget.shareMs()).toBe(100);
  vi.advanceTimersByTime(300);
  expect(budget.shareMs()).toBe(200);
  budget.end();
});

it('leaves no timer behind', () => {
  createBudget(1000, 500).end();
  expect(vi.getTimerCount()).toBe(0);
});
