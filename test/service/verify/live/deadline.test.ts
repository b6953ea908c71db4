import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { deadlineAfter } from '../../../../src/service/verify/live/deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('passes when its time is over, and aborts its signal then', async () => {
  const deadline = deadlineAfter(100);
  const { signal } = deadline;
  await vi.advanceTimersByTimeAsync(99);
  expect([deadline.isPassed, signal.aborted]).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(1);
  expect([deadline.isPassed, signal.aborted]).toEqual([true, true]);
  expect(await deadline.passed).toBe('late');
});

it('never passes once it is cleared, aborts its signal, and leaves no timer', async () => {
  const deadline = deadlineAfter(100);
  const { signal } = deadline;
  deadline.clear();
  expect([signal.aborted, vi.getTimerCount()]).toEqual([true, 0]);
  await vi.advanceTimersByTimeAsync(200);
  expect(deadline.isPassed).toBe(false);
});

it('has an aborted signal if it is asked for one too late', async () => {
  const [passed, cleared] = [deadlineAfter(10), deadlineAfter(10)];
  cleared.clear();
  await vi.advanceTimersByTimeAsync(10);
  expect([passed.signal.aborted, cleared.signal.aborted]).toEqual([true, true]);
});
