import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRecorder } from '../../src/engine/recorder.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

it('notes when a step was made, and how long it took', () => {
  const recorder = createRecorder();
  vi.advanceTimersByTime(20);
  recorder.note({ stage: 'address', text: 'at once' });
  const since = recorder.now();
  vi.advanceTimersByTime(30);
  recorder.note({ stage: 'dns', text: 'waited' }, since);
  expect(recorder.steps).toEqual([
    { atMs: 20, stage: 'address', text: 'at once' },
    { atMs: 20, tookMs: 30, stage: 'dns', text: 'waited' },
  ]);
});

it('keeps 200 steps, and passes all to the listener', () => {
  const listen = vi.fn();
  const recorder = createRecorder(listen);
  for (let count = 0; count < 300; count += 1) recorder.note({ stage: 'rcpt', text: String(count) });
  expect(recorder.steps).toHaveLength(200);
  expect(recorder.steps.at(-1)).toMatchObject({ text: '199' });
  expect(listen).toHaveBeenCalledTimes(300);
});
