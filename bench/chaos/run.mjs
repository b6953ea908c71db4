/**
 * Disturbs a busy service, and then audits its books.
 *
 *   npm run chaos                                  one run of a minute with a new seed
 *   npm run chaos -- --seed 7 --seconds 30         the disturbances of a seed, in so many seconds
 *   npm run chaos -- --seed 1 --runs 10            ten seeds, one after the other
 *
 * Exit code 0 if the books of every run are exact, 1 if not. The pace of processes differs in each run: a seed repeats
 * what is done and when, and not what it meets.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildBench } from '../build.mjs';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const { status } = spawnSync(process.execPath, ['build.mjs', '--if-stale', 'programs'], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
const outdir = 'test-results/bench';
await buildBench({ outdir });
const { main } = await import(pathToFileURL(`${outdir}/chaos/main.mjs`).href);
process.exit(await main(process.argv.slice(2)));
