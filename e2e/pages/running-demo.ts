import { startDemo } from './service-process.ts';
import { started } from './started.ts';

/** A fixture: the demo for all tests of a worker. A start takes seconds, and they stay within its limits. */
export const runningDemo = [started(() => startDemo()), { scope: 'worker', timeout: 300_000 }] satisfies [
  fixture: unknown,
  options: { scope: 'worker'; timeout: number },
];
