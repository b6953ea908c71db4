/**
 * Runs Stryker on the rules of each part: `npm run mutation`, or of some: `npm run mutation -- engine service`. Below the
 * threshold of a part, it ends.
 */
import { spawnSync } from 'node:child_process';
import { toolFile } from '../../.ci/tools/tools.mjs';

const STRYKER = toolFile('@stryker-mutator/core/bin/stryker.js');
const parts = process.argv.length > 2 ? process.argv.slice(2) : ['widget', 'engine', 'service', 'server'];
for (const part of parts) {
  const parameters = [STRYKER, 'run', `test/mutation/${part}.config.mjs`];
  const { status } = spawnSync(process.execPath, parameters, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
