/**
 * Installs the browsers of the tests:
 *
 *   node e2e/engines/install.mjs    installs missing browsers if it can, and lists which ones there are. Those beside
 *                                   Chromium only with TEST_LONG=1
 *
 * Without a Chromium it says what to do and fails (exit 1), because no test could run. It tries the others once, and
 * names those that are missing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { isLong } from '../../test/long.mjs';
import { ENGINES, findEngines, findEnginesAgain, firefoxRefusal } from './engines.mjs';
import { run } from './run.mjs';

const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';

const missingIn = (engines) => Object.keys(ENGINES).filter((name) => !engines[name] && isWanted(name));

/** The loop needs Chromium only. If the environment names a Chromium, only that one is tested. */
const isWanted = (name) =>
  (isLong || name === 'chromium' || name === 'shell') && (name !== 'shell' || !process.env.CHROMIUM_PATH);

/** Tries each way to install missing browsers, until all are there. */
async function install() {
  let engines = findEngines();
  for (const way of [byPlaywright, byPackageManager]) {
    const missing = missingIn(engines);
    if (missing.length === 0) break;
    console.error(`Missing: ${missing.map((name) => ENGINES[name].title).join(', ')}. Trying to install.`);
    await way(missing);
    engines = findEnginesAgain();
  }
  return engines;
}

async function byPlaywright(missing) {
  const cli = join(
    dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')),
    'cli.js',
  );
  const names = missing.flatMap((name) => ENGINES[name].playwright);
  const downloaded = await run(process.execPath, [cli, 'install', '--no-shell', ...names]);
  // The system's libraries that they need may be missing.
  if (downloaded && isRoot && isLinux) await run(process.execPath, [cli, 'install-deps', ...names]);
}

async function byPackageManager(missing) {
  if (process.platform === 'darwin') {
    if (missing.includes('chromium') && isThere('brew')) {
      await run('brew', ['install', '--cask', 'google-chrome']);
    }
    return;
  }
  if (!isLinux) return;
  const prefix = isRoot ? [] : maySudo() ? ['sudo', '-n'] : undefined;
  if (!prefix) return;
  const asRoot = (...command) => {
    const [head, ...rest] = [...prefix, ...command];
    return run(head, rest);
  };
  if (isThere('apt-get')) {
    const apt = (...command) => asRoot('env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...command);
    await apt('update');
    // One after the other, so that a missing package does not prevent the others.
    for (const name of missing) {
      await apt('install', '-y', '--no-install-recommends', ...ENGINES[name].packages);
    }
    return;
  }
  const others = missing.filter((name) => name === 'chromium' || name === 'firefox');
  if (others.length === 0) return;
  if (isThere('dnf')) await asRoot('dnf', 'install', '-y', ...others);
  else if (isThere('apk')) await asRoot('apk', 'add', '--no-progress', ...others);
  else if (isThere('pacman')) await asRoot('pacman', '-Sy', '--noconfirm', '--needed', ...others);
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

const WITHOUT_CHROMIUM = `
The browser tests need Chromium or Chrome, and none was found or could be installed. Do one of these:

  npx playwright install --with-deps chromium    Playwright's own build (needs cdn.playwright.dev)
  sudo apt-get install chromium                  or your system's package of that name
  CHROMIUM_PATH=/path/to/chrome npm test         one that is already somewhere

Everything but the browser tests runs without it: npm run test:unit
`;

const engines = await install();
for (const [name, { title }] of Object.entries(ENGINES)) {
  const { version, path } = engines[name] ?? {};
  if (path) console.log(`${title} ${version}: ${path}`);
}
const refusal = missingIn(engines).includes('firefox') && firefoxRefusal();
if (refusal) console.error(refusal);
if (!engines.chromium) {
  console.error(WITHOUT_CHROMIUM);
  process.exitCode = 1;
}
