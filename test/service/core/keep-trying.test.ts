import { expect, it, vi } from 'vitest';
import { keepTrying } from '../../../src/service/core/keep-trying.ts';

it('tries until it succeeds, and reports the first error only', async () => {
  const attempt = vi
    .fn(async () => 'done')
    .mockRejectedValueOnce('first')
    .mockRejectedValueOnce('second');
  const report = vi.fn();
  expect(await keepTrying(attempt, new AbortController().signal, report)).toBe('done');
  expect(attempt).toHaveBeenCalledTimes(3);
  expect(report).toHaveBeenCalledExactlyOnceWith('first');
});

it('tries once more when it is stopped, and then gives up', async () => {
  const stopped = new AbortController();
  const attempt = vi.fn(() => Promise.reject(new Error('away')));
  const trying = keepTrying(attempt, stopped.signal, () => stopped.abort());
  expect(await trying).toBeUndefined();
  expect(attempt).toHaveBeenCalledTimes(2);
});
