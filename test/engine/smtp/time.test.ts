import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { countdown } from '../../../src/engine/smtp/time.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it('counts down, and never below zero', () => {
  const time = countdown(100);
  vi.advanceTimersByTime(30);
  expect(time.left()).toBe(70);
  vi.advanceTimersByTime(170);
  expect(time.left()).toBe(0);
  time.extend(200);
  expect(time.left()).toBe(100);
});
