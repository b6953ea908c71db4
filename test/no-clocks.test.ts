/** The lint rule of no-clocks.grit. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { freePath } from './service/support/room.ts';

const CLOCKS = [
  "import { performance as p1, constants } from 'node:perf_hooks';",
  "import { hrtime, cpuUsage as used } from 'node:process';",
  'const { now } = performance;',
  'const { hrtime: h2 } = process;',
  'const { uptime } = process;',
  'const p2 = globalThis.performance;',
  'use(performance.now());',
  'use(window.performance.now());',
  "use(performance['now']());",
  'use(performance.timeOrigin);',
  "performance.measure('start');",
  'use(process.hrtime());',
  'use(process.hrtime.bigint());',
  'use(process.uptime());',
  'use(process.cpuUsage());',
  'use(process.threadCpuUsage());',
  'use(process.resourceUsage());',
  'use(Date.now() - t0);',
  'use(t0 - Date.now());',
  'use(Date.now() - (t0 + 5));',
  'use(new Date().getTime() - t0);',
  'use(new Date().valueOf() - t0);',
  'use(+new Date() - t0);',
  'use(Number(new Date()) - t0);',
  'use(Date.now() < t0 + 100);',
  'use(t0 + 100 >= new Date().getTime());',
  'expect(Date.now()).toBe(t0);',
  'expect(t0).toBeLessThan(Date.now());',
  'expect(t0).toBeGreaterThan(Date.now() - 500);',
  'expect(t0).toBeCloseTo(Date.now(), -3);',
  'const start = Date.now(); run(); const end = Date.now(); use(end - start);',
];

const DATES = [
  "vi.useFakeTimers({ toFake: ['performance'] });",
  'vi.setSystemTime(Date.now() + 1999);',
  'vi.setSystemTime(Date.now() - 3_600_000);',
  'use(new Date(Date.now() - 3 * 86_400_000));',
  'use({ mintedAt: Date.now(), uptime: 3, now: new Date() });',
  "use(performance.getEntriesByType('navigation'));",
  "performance.mark('start');",
  'const today = Date.now(); use(today + 1); use(left - 1);',
];

it('finds each way to compare a clock, and no date that is only set or sent', () => {
  const lines = [...CLOCKS, ...DATES];
  const folder = freePath();
  mkdirSync(folder);
  writeFileSync(`${folder}/sample.ts`, lines.join('\n'));
  const linter = { rules: { preset: 'none' } };
  writeFileSync(
    `${folder}/biome.json`,
    JSON.stringify({ linter, plugins: [resolve('test/no-clocks.grit')] }),
  );
  const { stdout } = spawnSync(
    process.execPath,
    [resolve('node_modules/@biomejs/biome/bin/biome'), 'lint', '--reporter=github', '--max-diagnostics=none'],
    { cwd: folder, encoding: 'utf8' },
  );
  const found = new Set(Array.from(stdout.matchAll(/sample\.ts,line=(\d+)/g), ([, line]) => Number(line)));
  expect(lines.filter((_, index) => found.has(index + 1))).toEqual(CLOCKS);
});
