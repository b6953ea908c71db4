/** Whether a worker gets on with its work. */
import { expect, it } from 'vitest';
import { createProgress } from '../../../../src/service/batch/live/stall.ts';
import { withResolvers } from '../../../with-resolvers.ts';
import { answers, COMPLETED, createBatch, startWorker } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';

const { db } = await testDatabase();

it('tells for how long there has been work, and nothing has become of it', () => {
  let now = 0;
  const progress = createProgress(() => now);
  expect(progress.stalledMs()).toBe(0);
  progress.sees(true);
  now = 400;
  progress.sees(true);
  expect(progress.stalledMs()).toBe(400);
  progress.moves();
  now = 500;
  expect(progress.stalledMs()).toBe(100);
  progress.sees(false);
  now = 900;
  expect(progress.stalledMs()).toBe(0);
  progress.sees(true);
  expect(progress.stalledMs()).toBe(0);
});

it('grows while a verifier hangs, and ends when it goes on', async () => {
  const { promise: hangs, resolve: goOn } = withResolvers();
  const batch = await createBatch(db, 3);
  const worker = await startWorker(db, async (request) => {
    await hangs;
    return answers('deliverable')(request);
  });
  await expect.poll(() => worker.atWork()).toBe(3);
  await expect.poll(() => worker.stalledMs()).toBeGreaterThan(200);
  goOn();
  await batch.until(COMPLETED, 4);
  await expect.poll(() => [worker.stalledMs(), worker.atWork()]).toEqual([0, 0]);
});

it('does not grow while no mail server can be reached, nor while there is nothing to do', async () => {
  const batch = await createBatch(db, 3);
  let isOpen = false;
  let looks = 0;
  const isPortClosed = () => {
    looks += 1;
    return !isOpen;
  };
  const worker = await startWorker(db, answers('deliverable'), { isPortClosed });
  await expect.poll(() => looks).toBeGreaterThan(3);
  expect(worker.stalledMs()).toBe(0);
  isOpen = true;
  await batch.until(COMPLETED, 4);
  const before = looks;
  await expect.poll(() => looks).toBeGreaterThan(before + 2);
  expect(worker.stalledMs()).toBe(0);
});
