/** A short run of `npm run chaos`: processes are killed and frozen, connections break, and the books are exact. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { SEED } from '../long.mjs';

it('keeps the books exact while everything is disturbed', { timeout: 600_000 }, () => {
  const words = [
    '--seed',
    String(SEED % 1_000_000),
    '--seconds',
    '20',
    '--accounts',
    '40',
    '--processes',
    '2',
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bench/chaos/run.mjs', ...words], {
    encoding: 'utf8',
  });
  expect([status, stdout], stderr).toEqual([0, expect.stringContaining(': exact.')]);
});
