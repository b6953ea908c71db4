/**
 * Runs Stryker on the rules of each part, and changes the SQL of the stores: `npm run mutation`, or of some parts:
 * `npm run mutation -- engine stores`. Below the threshold of a part, it ends.
 */
import { spawnSync } from 'node:child_process';
import { toolFile } from '../../.ci/tools/tools.mjs';

const STRYKER = toolFile('@stryker-mutator/core/bin/stryker.js');
const parts =
  process.argv.length > 2 ? process.argv.slice(2) : ['widget', 'engine', 'service', 'server', 'stores'];
for (const part of parts) {
  const stryker = [STRYKER, 'run', `test/mutation/${part}.config.mjs`];
  const parameters = part === 'stores' ? ['test/mutation/stores.mjs'] : stryker;
  const { status } = spawnSync(process.execPath, parameters, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
