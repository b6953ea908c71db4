import { type RunningService, startDemo } from './service-process.ts';

type Use = (demo: RunningService) => Promise<void>;

/** A fixture: the demo for all tests of a worker. A start takes seconds, and they stay within its limits. */
export const runningDemo: [
  fixture: (needs: object, use: Use) => Promise<void>,
  options: { scope: 'worker'; timeout: number },
] = [
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern.
  async ({}, use) => {
    const demo = await startDemo();
    await use(demo);
    await demo.stop();
  },
  { scope: 'worker', timeout: 300_000 },
];
