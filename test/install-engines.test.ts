/** What installs browsers for the tests, with a network that never answers. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { run } from '../e2e/engines/run.mjs';
import { holdTimers } from './service/support/held-timers.ts';

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
  // Passed by hand, because a busy machine may need longer to start the two processes that have to end with it.
  const limit = holdTimers((ms) => ms === 1_000);
  const running = run(process.execPath, ['-e', manager], limits);
  await vi.waitFor(() => expect(pid()).toBeGreaterThan(0));
  limit.fire();
  expect(await running).toBe(false);
  expect(said).toContain(`  ${why}: stopped`);
  await expect.poll(() => isAlive(pid())).toBe(false);
});

it('tells a command that has succeeded from one that failed, or is missing', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  expect(await run(process.execPath, ['-e', ''])).toBe(true);
  expect(await run(process.execPath, ['-e', 'process.exitCode = 1'])).toBe(false);
  expect(await run('no-such-program-here', [])).toBe(false);
});

/** Runs the installation where nothing can be downloaded, and there are only these programs. */
async function install(programs: Readonly<Record<string, string>>, { named }: { named?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'evw-install-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const all = { chromium: 'echo Chromium 153.0', sudo: 'shift; exec "$@"', ...programs };
  for (const [name, script] of Object.entries(all))
    writeFileSync(join(folder, name), `#!/bin/sh\ncd ${folder}\n${script}\n`, { mode: 0o755 });
  for (const name of ['env', 'true']) symlinkSync(`/usr/bin/${name}`, join(folder, name));
  const env = {
    ...{ PATH: folder, TEST_LONG: '1', CHROMIUM_PATH: join(folder, 'chromium') },
    ...{ PLAYWRIGHT_BROWSERS_PATH: folder, PLAYWRIGHT_HOST_PLATFORM_OVERRIDE: 'none' },
    ...(named !== undefined && { FIREFOX_PATH: join(folder, named) }),
  };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['e2e/engines/install.mjs'], {
    env,
  }).catch((error: { stdout: string; stderr: string }) => error);
  return { stdout, stderr, folder };
}

const OLD = 'echo Mozilla Firefox 140.12.0esr';
const REFUSAL =
  /^Firefox 140\.12\.0 \(\S+\/firefox\) is too old: Playwright drives 147 or later\. Run `apt-get update`, then `TEST_LONG=1 node e2e\/engines\/install\.mjs` again\.$/m;

describe.runIf(process.platform === 'linux')('where the Firefox is too old for Playwright', () => {
  it('updates the list of packages, and installs the new one', async () => {
    const apt = `echo "$@" >> calls; [ "$1" = update ] && echo 'echo Mozilla Firefox 153.8.0esr' > new
      case "$*" in *firefox-esr*) echo '#!/bin/sh' > firefox; while read line; do echo "$line" >> firefox; done < new; esac`;
    const { stdout, stderr, folder } = await install({ firefox: OLD, 'apt-get': apt });
    expect(readFileSync(join(folder, 'calls'), 'utf8')).toMatch(/^update\ninstall .*firefox-esr\n/);
    expect(stdout).toContain(`Firefox 153.8.0: ${folder}/firefox\n`);
    expect(stderr).not.toMatch(REFUSAL);
  });

  it('says which was found, which is needed, and what to do', async () => {
    const { stdout, stderr } = await install({ firefox: OLD });
    expect(stderr).toMatch(REFUSAL);
    expect(stdout).not.toContain('Firefox 140');
  });

  it('says so of one that the environment names', async () => {
    const { stderr } = await install({ firefox: OLD }, { named: 'firefox' });
    expect(stderr).toMatch(/Firefox 140\.12\.0 .* is too old: .* Or correct FIREFOX_PATH\.$/m);
  });
});
