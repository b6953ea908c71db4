/**
 * Installs the packages that `npm ci` leaves out, because only few commands need them. Does nothing if they are there.
 *
 *   node .ci/tools/install.mjs                  all of them
 *   node .ci/tools/install.mjs e2e/libraries    those of one folder
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isInstalled } from './tools.mjs';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));

/** The folders with a lock of their own, each with what it has. */
const FOLDERS = {
  '.ci/tools': 'the tools of long tests, benchmarks and releases',
  'e2e/libraries': 'the libraries and frameworks of the long browser tests',
};

const asked = process.argv.slice(2);
const unknown = asked.find((folder) => !(folder in FOLDERS));
if (unknown !== undefined) {
  console.error(`Expected ${Object.keys(FOLDERS).join(' or ')}, got ${unknown}.`);
  process.exit(2);
}
for (const folder of asked.length ? asked : Object.keys(FOLDERS)) {
  if (isInstalled(folder)) continue;
  console.error(
    `Installs ${FOLDERS[folder]} into ${folder}/node_modules, because they are missing or stale.`,
  );
  const { status } = spawnSync('npm', ['ci', '--prefix', folder], { stdio: ['ignore', 2, 2] });
  if (status === 0) continue;
  console.error(
    `Expected the packages of ${folder}, got an error of npm. Mend it and run the command again.`,
  );
  process.exit(1);
}
