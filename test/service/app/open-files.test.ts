import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { whyTooFewFiles } from '../../../src/service/app/open-files.mjs';
import { MAIN } from '../support/service-process.ts';

const limits = (most: string) =>
  [
    'Max processes             7823                 7823                 processes',
    `Max open files            ${most.padEnd(20)} 1048576              files\n`,
  ].join('\n');

it.each([
  ['20', 'Expected a limit of at least 128 open files, got 20. Raise it'],
  ['127', 'got 127.'],
])('refuses a limit of %s open files', (most, message) => {
  expect(whyTooFewFiles(limits(most))).toContain(message);
});

it.each(['128', '1024', 'unlimited'])('takes a limit of %s', (most) => {
  expect(whyTooFewFiles(limits(most))).toBeUndefined();
});

it('takes a system that does not say', () => {
  expect(whyTooFewFiles('')).toBeUndefined();
});

it
  .runIf(process.platform === 'linux')
  .each([MAIN, 'dist/admin/main.js', 'dist/check/main.js', 'src/build/start.mjs'])(
  'says in one line that %s may open too few files',
  (program) => {
    const command = `ulimit -n 20 && exec "${process.execPath}" "${program}" --help`;
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Expected a limit of at least 128 open files, got 20\. .*\n$/);
  },
);
