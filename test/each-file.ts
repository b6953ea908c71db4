/** Runs for each test file. Some files share their modules with others: what these have set up ends with the file. */
import { afterAll, vi } from 'vitest';
import { removeRoom } from './service/support/room.ts';

afterAll(() => {
  vi.useRealTimers();
  removeRoom();
}, 60_000);
