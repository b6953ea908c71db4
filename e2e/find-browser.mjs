/**
 * Finds the Chromium that the browser tests drive, and as a command makes sure that one is there:
 *
 *   node e2e/find-browser.mjs    prints its path; installs one where it can; else says what to do (exit 1)
 *
 * Looked for in this order: CHROMIUM_PATH, Playwright's own, the places where systems put theirs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

const VERSION_LIMIT_MS = 15_000;
/** The whole download is about 180 MB: ten minutes allow for 0.3 MB/s. */
const DOWNLOAD_LIMIT_MS = 600_000;
/** Downloads and package managers print as they go: one that has been silent this long has hung. */
const SILENCE_LIMIT_MS = 90_000;

const isRoot = process.getuid?.() === 0;

/**
 * The first Chromium that runs.
 *
 * @returns {string | undefined} its path
 * @throws when CHROMIUM_PATH names one that does not run: a wish that can't be met is not passed over
 */
export function findBrowser() {
  const wished = process.env.CHROMIUM_PATH;
  if (wished) {
    if (runs(wished)) return wished;
    throw new Error(`CHROMIUM_PATH is ${wished}, which is no Chromium that runs. Correct it or unset it.`);
  }
  return candidates().find(runs);
}

/**
 * What Chromium is started with beside Playwright's own flags: nothing but the tests' own pages goes over
 * the network, and any host under `.test` is this machine (pages of several origins without a DNS), any under `.invalid` is unknown.
 */
export function browserArguments() {
  return [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-domain-reliability',
    '--disable-gpu',
    '--disable-sync',
    '--no-first-run',
    '--host-resolver-rules=MAP *.test 127.0.0.1, MAP localhost 127.0.0.1, MAP *.invalid ~NOTFOUND',
    // Chromium's sandbox refuses to start as root (containers, many CI machines).
    ...(isRoot && process.platform === 'linux' ? ['--no-sandbox'] : []),
  ];
}

/** Every path where a Chromium may be, best first. */
function candidates() {
  const paths = [playwrightsOwn()];
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (process.platform === 'win32' || folder === '') continue;
    for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']) {
      paths.push(join(folder, name));
    }
  }
  if (process.platform === 'linux') {
    paths.push(
      '/usr/bin/chromium',
      '/usr/bin/chromium-browser',
      '/usr/bin/google-chrome',
      '/opt/google/chrome/chrome',
    );
    paths.push(
      '/usr/lib/chromium/chromium',
      '/usr/lib64/chromium-browser/chromium-browser',
      '/snap/bin/chromium',
    );
  }
  if (process.platform === 'darwin') {
    for (const root of ['/Applications', join(homedir(), 'Applications')]) {
      for (const name of ['Chromium', 'Google Chrome', 'Microsoft Edge']) {
        paths.push(join(root, `${name}.app`, 'Contents', 'MacOS', name));
      }
    }
  }
  if (process.platform === 'win32') {
    for (const root of [
      process.env.LOCALAPPDATA,
      process.env.PROGRAMFILES,
      process.env['PROGRAMFILES(X86)'],
    ]) {
      if (!root) continue;
      paths.push(join(root, 'Chromium', 'Application', 'chrome.exe'));
      paths.push(join(root, 'Google', 'Chrome', 'Application', 'chrome.exe'));
      paths.push(join(root, 'Microsoft', 'Edge', 'Application', 'msedge.exe'));
    }
  }
  return [...new Set(paths.filter((path) => path !== undefined))];
}

function playwrightsOwn() {
  try {
    return chromium.executablePath() || undefined;
  } catch {
    return undefined; // A platform that Playwright has no build for.
  }
}

/** Whether it is there and starts: Ubuntu's `chromium-browser` may be a script that only asks for a snap. */
function runs(path) {
  if (!existsSync(path)) return false;
  // On Windows `--version` would open a window instead of printing one.
  if (process.platform === 'win32') return true;
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: VERSION_LIMIT_MS });
  return status === 0 && /\d+\.\d+\.\d+/.test(stdout);
}

/** Tries each way to install one, until one runs. */
async function installBrowser() {
  for (const attempt of [byPlaywright, byPackageManager]) {
    await attempt();
    const found = findBrowser();
    if (found) return found;
  }
  return undefined;
}

async function byPlaywright() {
  const cli = join(
    dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')),
    'cli.js',
  );
  const downloaded = await run(process.execPath, [cli, 'install', '--no-shell', 'chromium']);
  // Downloaded, but the system's libraries that it needs may be missing.
  if (downloaded && !findBrowser() && isRoot && process.platform === 'linux') {
    await run(process.execPath, [cli, 'install-deps', 'chromium']);
  }
}

async function byPackageManager() {
  if (process.platform === 'darwin') {
    if (isThere('brew')) await run('brew', ['install', '--cask', 'google-chrome']);
    return;
  }
  if (process.platform !== 'linux') return;
  const prefix = isRoot ? [] : maySudo() ? ['sudo', '-n'] : undefined;
  if (!prefix) return;
  const asRoot = (...command) => run(...headAndRest([...prefix, ...command]));
  if (isThere('apt-get')) {
    await asRoot('env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', 'update');
    await asRoot(
      'env',
      'DEBIAN_FRONTEND=noninteractive',
      'apt-get',
      'install',
      '-y',
      '--no-install-recommends',
      'chromium',
    );
  } else if (isThere('dnf')) {
    await asRoot('dnf', 'install', '-y', 'chromium');
  } else if (isThere('apk')) {
    await asRoot('apk', 'add', '--no-progress', 'chromium');
  } else if (isThere('pacman')) {
    await asRoot('pacman', '-Sy', '--noconfirm', '--needed', 'chromium');
  }
}

function maySudo() {
  return (
    isThere('sudo') && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore', timeout: 5_000 }).status === 0
  );
}

function isThere(command) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && existsSync(join(folder, command)));
}

function headAndRest([head, ...rest]) {
  return [head, rest];
}

/** Runs one command with its output shown on standard error; ended when it takes too long or has hung. */
function run(command, parameters) {
  console.error(`> ${command === process.execPath ? 'node' : command} ${parameters.join(' ')}`);
  return new Promise((resolve) => {
    const child = spawn(command, parameters, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000', ...process.env },
    });
    const end = (why) => {
      console.error(`  ${why}: stopped`);
      child.kill('SIGKILL');
    };
    const limit = setTimeout(end, DOWNLOAD_LIMIT_MS, 'took too long');
    let silence = setTimeout(end, SILENCE_LIMIT_MS, 'hung');
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        process.stderr.write(chunk);
        clearTimeout(silence);
        silence = setTimeout(end, SILENCE_LIMIT_MS, 'hung');
      });
    }
    const finish = (succeeded) => {
      clearTimeout(limit);
      clearTimeout(silence);
      resolve(succeeded);
    };
    child.on('error', (error) => {
      console.error(`  ${error.message}`);
      finish(false);
    });
    child.on('close', (status) => finish(status === 0));
  });
}

const WHAT_TO_DO = `
The browser tests need Chromium or Chrome, and none was found or could be installed. Do one of these:

  npx playwright install --with-deps chromium    Playwright's own build (needs cdn.playwright.dev)
  sudo apt-get install chromium                  or your system's package of that name
  CHROMIUM_PATH=/path/to/chrome npm test         one that is already somewhere

Everything but the browser tests runs without it: npm run test:unit
`;

/** The command: prints the path of a Chromium that runs, or says what to do. */
async function main() {
  let found = findBrowser();
  if (!found) {
    console.error('No Chromium found: trying to install one.');
    found = await installBrowser();
  }
  if (!found) {
    console.error(WHAT_TO_DO);
    return 1;
  }
  console.log(found);
  return 0;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main().catch((error) => {
    console.error(error.message);
    return 1;
  });
}
