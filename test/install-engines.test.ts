/** What installs browsers for the tests, with a network that never answers. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { run } from '../e2e/engines/run.mjs';

/** A package manager whose download, a process of its own, holds its output open and says nothing. */
function createHangingProgram() {
  const folder = mkdtempSync(join(tmpdir(), 'evw-install-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'download.pid');
  const download = `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1e6)`;
  const manager = `require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(download)}], { stdio: 'inherit' })`;
  return { manager, pid: () => Number(readFileSync(file, 'utf8')) };
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it.skipIf(process.platform === 'win32').each([
  ['hung', { whole: 1e9, silence: 1_000 }],
  ['took too long', { whole: 1_000, silence: 1e9 }],
])('ends a command that %s, with all that it has started', async (why, limits) => {
  const said: string[] = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void said.push(String(line)));
  const { manager, pid } = createHangingProgram();
  expect(await run(process.execPath, ['-e', manager], limits)).toBe(false);
  expect(said).toContain(`  ${why}: stopped`);
  await expect.poll(() => isAlive(pid())).toBe(false);
});

it('tells a command that has succeeded from one that failed, or is missing', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  expect(await run(process.execPath, ['-e', ''])).toBe(true);
  expect(await run(process.execPath, ['-e', 'process.exitCode = 1'])).toBe(false);
  expect(await run('no-such-program-here', [])).toBe(false);
});
