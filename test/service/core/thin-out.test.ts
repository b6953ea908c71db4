import { expect, it, vi } from 'vitest';
import { thinOut } from '../../../src/service/core/thin-out.ts';

const SECOND = 1000;
const FULL = { error: '53100', at: 'at insert' };

/** A log that is thinned out, with a clock that the test sets. */
function thinned() {
  const written = vi.fn();
  let now = 0;
  const log = thinOut(written, () => now);
  const at = (seconds: number) => {
    now = seconds * SECOND;
  };
  return { written, log, at };
}

it('writes a line about a full disk once, and then with growing pauses', () => {
  const { written, log, at } = thinned();
  const seconds: number[] = [];
  for (let second = 0; second < 200; second += 1) {
    at(second);
    const before = written.mock.calls.length;
    log('error', 'database short of resources', FULL);
    if (written.mock.calls.length > before) seconds.push(second);
  }
  expect(seconds).toEqual([0, 10, 30, 70, 150]);
  const details = { ...FULL, left_out: 79 };
  expect(written.mock.calls.at(-1)).toEqual(['error', 'database short of resources', details]);
});

it('writes at once again after a quiet time, and never pauses for longer than 10 minutes', () => {
  const { written, log, at } = thinned();
  log('error', 'database short of resources', FULL);
  at(20);
  log('error', 'database short of resources', FULL);
  at(29);
  log('error', 'database short of resources', FULL);
  expect(written).toHaveBeenCalledTimes(2);
  let last = 0;
  for (let second = 30; second < 10_000; second += 1) {
    at(second);
    const before = written.mock.calls.length;
    log('error', 'database short of resources', FULL);
    if (written.mock.calls.length === before) continue;
    expect(second - last).toBeLessThanOrEqual(600);
    last = second;
  }
});

it('keeps events and errors apart', () => {
  const { written, log } = thinned();
  for (const event of ['database short of resources', 'housekeeping failed'])
    for (const error of ['53100', '53300', '57014', '55P03', 'ENOSPC']) log('warn', event, { error });
  expect(written).toHaveBeenCalledTimes(10);
});

it('thins out the restarts of an embedded server, by their reason', () => {
  const { written, log } = thinned();
  for (const why of ['a', 'a', 'b', 'a']) log('error', 'embedded database not started', { why });
  expect(written.mock.calls.map(([, , { why }]) => why)).toEqual(['a', 'b']);
});

it.each([
  ['info', 'request', { error: '53100' }],
  ['warn', 'sign-in refused', { reason: 'wrong' }],
  ['error', 'unexpected error', { error: 'TypeError', at: 'x' }],
  ['error', 'unexpected error', undefined],
] as const)('lets every other line pass: %s %s', (level, event, details) => {
  const { written, log } = thinned();
  for (let count = 0; count < 3; count += 1) log(level, event, details);
  expect(written).toHaveBeenCalledTimes(3);
});
