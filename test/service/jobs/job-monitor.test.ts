import { expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../../src/service/core/log.ts';
import { createJobMonitors } from '../../../src/service/jobs/job-monitor.ts';
import { createPoller } from '../../../src/service/jobs/poller.ts';
import { repeat } from '../../../src/service/jobs/repeat.ts';

it('counts the runs of a job, and tells how long it has been silent', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_767_225_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  let now = 1_000;
  const monitors = createJobMonitors(() => now);
  expect(monitors.report()).toEqual([]);
  const monitor = monitors.begin('batches');
  now += 500;
  const none = { job: 'batches', succeeded: 0, failed: 0, lastSuccessMs: undefined, silentMs: 500 };
  expect(monitors.report()).toEqual([none]);
  monitor.ended(false);
  now += 20;
  expect(monitors.report()).toMatchObject([{ failed: 1, lastSuccessMs: undefined, silentMs: 20 }]);
  monitor.ended(true);
  const one = { succeeded: 1, failed: 1, silentMs: 0, lastSuccessMs: 1_767_225_600_000 };
  expect(monitors.report()).toMatchObject([one]);
});

it('hears of a job in the middle of a long run', () => {
  let now = 0;
  const monitors = createJobMonitors(() => now);
  const monitor = monitors.begin('samples');
  now = 90_000;
  monitor.goesOn();
  now = 90_010;
  expect(monitors.report()).toMatchObject([{ succeeded: 0, silentMs: 10 }]);
});

it('hears of each run that is repeated, and of those that fail', async () => {
  const monitors = createJobMonitors();
  let runs = 0;
  const task = async () => {
    runs += 1;
    if (runs === 1) throw new Error('fault');
  };
  const repeated = repeat(task, 1, () => {}, monitors.begin('housekeeping'));
  await expect.poll(() => monitors.report()[0]!.succeeded).toBeGreaterThan(0);
  await repeated.stop();
  expect(monitors.report()).toMatchObject([{ job: 'housekeeping', failed: 1, succeeded: runs - 1 }]);
});

it('hears of each look', async () => {
  const monitors = createJobMonitors();
  let looks = 0;
  const poller = createPoller({
    async look() {
      looks += 1;
      if (looks === 1) throw new Error('fault');
    },
    ...{ everyMs: 1, log: silentLog, failure: 'not looked', monitor: monitors.begin('callbacks') },
  });
  poller.wake();
  await expect.poll(() => monitors.report()[0]!.succeeded).toBeGreaterThan(0);
  await poller.stop();
  expect(monitors.report()).toMatchObject([{ failed: 1, succeeded: looks - 1 }]);
});
