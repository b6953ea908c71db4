import { expect, it } from 'vitest';
import type { JobReport } from '../../../src/service/jobs/job-monitor.ts';
import { type ReadinessOptions, whyNotReady } from '../../../src/service/operations/readiness.ts';

const MINUTE_MS = 60_000;
const job = (silentMs: number): JobReport => ({
  ...{ job: 'batches', succeeded: 1, failed: 0, lastSuccessMs: 0, silentMs },
});
const ask = (changes: Partial<ReadinessOptions> = {}) =>
  whyNotReady({
    ...{ role: 'all', isDatabaseReady: () => true, databaseTrouble: () => 'away' },
    ...{ jobs: () => [job(1_000)], stalledMs: () => 0 },
    ...changes,
  });

it.each(['web', 'worker', 'all'] as const)('is ready as %s when the database and the jobs are', (role) => {
  expect(ask({ role })).toBeUndefined();
});

it.each(['web', 'worker', 'all'] as const)('is not ready as %s without the database', (role) => {
  const message = 'The database cannot be reached, is read-only, or is not migrated.';
  expect(ask({ role, isDatabaseReady: () => false })).toBe(message);
});

it('names a full disk', () => {
  const message = 'The disk of the database is full. Make space.';
  expect(ask({ isDatabaseReady: () => false, databaseTrouble: () => 'full' })).toBe(message);
});

it.each(['worker', 'all'] as const)('is not ready as %s when a job hangs', (role) => {
  expect(ask({ role, jobs: () => [job(0), job(MINUTE_MS)] })).toBeUndefined();
  const message = 'The job "batches" hangs. It has been silent for 60 s.';
  expect(ask({ role, jobs: () => [job(0), job(MINUTE_MS + 1)] })).toBe(message);
});

it.each(['worker', 'all'] as const)('is not ready as %s when it gets on with no address', (role) => {
  expect(ask({ role, stalledMs: () => 5 * MINUTE_MS })).toBeUndefined();
  const message = 'Addresses of batches are ready, but this process has made no progress for 300 s.';
  expect(ask({ role, stalledMs: () => 5 * MINUTE_MS + 1 })).toBe(message);
});

it('stays ready as web, whatever workers do', () => {
  const stuck = { jobs: () => [job(10 * MINUTE_MS)], stalledMs: () => 10 * MINUTE_MS };
  expect(ask({ role: 'web', ...stuck })).toBeUndefined();
});

it('says that a migration waits', () => {
  const message = /^The migration of the database waits for a lock or for another process\./;
  expect(ask({ isDatabaseReady: () => false, databaseTrouble: () => 'migration' })).toMatch(message);
});
