/** What the chaos run accepts as a free result. */
import { afterEach, expect, it, vi } from 'vitest';
import { SLOW, watchUnbooked } from '../../bench/chaos/unbooked.ts';

afterEach(() => void vi.restoreAllMocks());

const line = (verification: string) =>
  JSON.stringify({ level: 'warn', event: 'result sent before it was booked', verification });

function sentAt(...times: readonly number[]) {
  const unbooked = watchUnbooked();
  for (const at of times) {
    vi.spyOn(performance, 'now').mockReturnValue(at);
    unbooked.read(line(`v${at}`));
  }
  return unbooked;
}

it('accepts a result that was sent while the way to the database was disturbed, or soon after', () => {
  const unbooked = sentAt(1_000, 2_000, 16_000);
  expect(unbooked.compare([{ name: 'silent', from: 900, to: 1_500 }])).toEqual([]);
  expect(unbooked.count).toBe(3);
});

it('accepts a result that was sent while a commit of the run itself took as long, and not long after', () => {
  const slow = { name: SLOW, from: 900, to: 1_500 };
  expect(sentAt(1_000, 1_800).compare([slow])).toEqual([]);
  expect(sentAt(1_801).compare([slow])).toHaveLength(1);
});

it.each([
  ['before the disturbance', { name: 'cut', from: 50_001, to: 50_001 }],
  ['long after it', { name: 'cut', from: 1_000, to: 1_000 }],
  ['during a disturbance of another kind', { name: 'hanging', from: 0, to: 60_000 }],
])('refuses a result that was sent %s', (_when, disturbance) => {
  expect(sentAt(50_000).compare([disturbance])).toEqual([
    'verification v50000: sent before it was booked, without a disturbance',
  ]);
});

it('leaves other lines out, and counts a verification once', () => {
  const unbooked = sentAt(1, 1);
  unbooked.read('listening');
  expect(unbooked.count).toBe(1);
});
