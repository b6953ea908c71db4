/** Runs for each test file. Some files share their modules with others: what these have set up ends with the file. */
import { afterAll, vi } from 'vitest';
import { PATIENTLY } from './service/support/patience.ts';
import { removeRoom } from './service/support/room.ts';

/** vitest gives up after a second by itself. A busy machine needs longer, and an event that comes ends the wait. */
const { waitFor, waitUntil } = vi;
if (waitFor.name !== 'waitPatiently') {
  vi.waitFor = function waitPatiently(callback, options) {
    return waitFor(callback, patient(options));
  };
  vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
}

function patient(options: number | { timeout?: number; interval?: number } = {}) {
  const { timeout = 0, ...others } = typeof options === 'number' ? { timeout: options } : options;
  return { ...others, timeout: Math.max(timeout, PATIENTLY.timeout) };
}

afterAll(() => {
  vi.useRealTimers();
  removeRoom();
});
