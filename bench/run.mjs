/**
 * Measures the widget and its peers, the service and a bare route, the engine and a bare loop of sockets, batches, and a
 * start. Prints tables and writes bench/results.md.
 *
 *   npm run bench                             widget, service, engine and batches
 *   npm run bench:widget                      the widget alone
 *   npm run bench:service                     the service alone
 *   npm run bench:engine                      the engine alone
 *   npm run bench:batch                       batches alone
 *   node bench/run.mjs start                  the start alone
 *   npm run bench:load                        several processes under load and faults; writes bench/load.md
 *   npm run bench:widget -- --only=install    only figures whose names begin with this; writes no file
 *   npm run bench -- --quick                  a short run without the peers, to check that everything works; writes no file
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildBench } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

for (const step of [
  ['.ci/tools/install.mjs', '.ci/tools'],
  ['build.mjs', '--if-stale', 'programs', 'widget'],
]) {
  const { status } = spawnSync(process.execPath, step, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

const outdir = 'test-results/bench';
await buildBench({ outdir });
const { main } = await import(pathToFileURL(`${outdir}/main.mjs`).href);
process.exitCode = await main(process.argv.slice(2));
