/**
 * Measures the widget and its peers, the service and a bare route, the engine and a bare loop of sockets, batches, and a
 * start. Prints tables and writes bench/results.md.
 *
 *   npm run bench                             widget, service, engine and batches
 *   npm run bench:widget                      the widget alone
 *   npm run bench:service                     the service alone
 *   npm run bench:engine                      the engine alone
 *   npm run bench:batch                       batches alone
 *   npm run bench:fairness                    batches of many accounts alone
 *   node bench/run.mjs large                  batches of a million entries, which the others leave out
 *   node bench/run.mjs poison                 a batch beside an address that ends processes, which the others leave out
 *   node bench/run.mjs housekeeping           what the housekeeping deletes, which the others leave out
 *   node bench/run.mjs start                  the start alone
 *   npm run bench:load                        several processes under load and faults; writes bench/load.md
 *   npm run bench:widget -- --only=install    only figures whose names begin with this; writes no file
 *   npm run bench:service -- --only=throughput
 *   npm run bench:batch -- --only=lists
 *   npm run bench -- --quick                  a short run without the peers, to check that everything works; writes no file
 *
 * It ends with 1 if a target is missed, except for a short run. bench/figures.md says which command measures what.
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
