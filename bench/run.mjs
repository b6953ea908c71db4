/**
 * Measures the widget beside its peers, the service beside a bare route, the engine beside a bare loop of sockets, and
 * batches; prints tables and writes bench/results.md.
 *
 *   npm run bench                             widget, service, engine and batches
 *   npm run bench:widget                      the widget alone
 *   npm run bench:service                     the service alone
 *   npm run bench:engine                      the engine alone
 *   npm run bench:batch                       batches alone
 *   npm run bench:load                        several processes under load and faults, by itself; writes bench/load.md
 *   npm run bench:widget -- --only=install    figures whose name begins so, printed and not written
 *   npm run bench -- --quick                  a little of each without the peers, printed and not written: to see that it runs
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildBench } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

const built = spawnSync(process.execPath, ['build.mjs', '--if-stale'], { stdio: 'inherit' });
if (built.status !== 0) process.exit(1);

const outdir = 'test-results/bench';
await buildBench({ outdir });
const { main } = await import(pathToFileURL(`${outdir}/main.mjs`).href);
process.exitCode = await main(process.argv.slice(2));
