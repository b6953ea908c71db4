import { expect, it } from 'vitest';
import { repeat } from '../../../src/service/jobs/repeat.ts';

/** A task whose runs end when the test says so. */
function scripted() {
  const runs: { end: (error?: Error) => void }[] = [];
  const task = () =>
    new Promise<void>((resolve, reject) => {
      runs.push({ end: (error) => (error ? reject(error) : resolve()) });
    });
  return { runs, task };
}

it('waits for the run that has begun when it is stopped, and starts no other', async () => {
  const { runs, task } = scripted();
  const repeated = repeat(task, 1, () => {});
  await expect.poll(() => runs.length).toBe(1);
  let hasStopped = false;
  const stopped = repeated.stop().then(() => {
    hasStopped = true;
  });
  await Promise.resolve();
  expect(hasStopped).toBe(false);
  runs[0]!.end();
  await stopped;
  expect(runs).toHaveLength(1);
});

it('never starts if it is stopped before its first run', async () => {
  const { runs, task } = scripted();
  await repeat(task, 1, () => {}).stop();
  expect(runs).toHaveLength(0);
});

it('runs again after a failure, and reports it', async () => {
  const { runs, task } = scripted();
  const errors: unknown[] = [];
  const repeated = repeat(task, 1, (error) => errors.push(error));
  await expect.poll(() => runs.length).toBe(1);
  const fault = new Error('fault');
  runs[0]!.end(fault);
  await expect.poll(() => runs.length).toBe(2);
  expect(errors).toEqual([fault]);
  runs[1]!.end();
  await repeated.stop();
});
