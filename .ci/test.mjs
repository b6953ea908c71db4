/**
 * Runs everything that a change has to pass, and says how long each step took.
 *
 *   npm test              the loop: every rule once, random tests with a fixed seed, browser tests in Chromium
 *   npm run test:long     everything: also what test/long.mjs lists, coverage, all engines, new random seeds
 *   npm run test:long -- --rest    the same after `npm test`, without the steps and browser tests that this has just shown
 *
 * A step begins when the steps that it needs have succeeded. A step that fails stops only those that need it, so one
 * run says all that is wrong, and says it again at its end. `TEST_REPORT=FOLDER` keeps the figures of steps and files for `npm run bench:loop`.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { LEFT_FOR_LONG } from '../test/long.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const isLong = process.argv.includes('--long');
const isRest = process.argv.includes('--rest');
const report = process.env.TEST_REPORT;

/** How many lines the end of a run repeats of each step that has failed. */
const MOST_LINES = 60;

/**
 * The steps, by the name of their npm script. A live step prints as it goes.
 */
const STEPS = [
  // The rest comes after a build of the same sources.
  { script: 'build', parameters: isRest && ['--if-stale'] },
  ...(isRest ? [] : [{ script: 'lint' }, { script: 'types' }]),
  ...(isLong ? [{ script: 'tools' }, { script: 'types:tools', needs: ['tools'] }] : []),
  { script: 'reference', needs: ['build'] },
  {
    script: isLong ? 'test:coverage' : 'test:unit',
    needs: isLong ? ['build', 'tools'] : ['build'],
    isLive: true,
    parameters: report && [
      '--reporter=default',
      '--reporter=json',
      `--outputFile=${join(report, 'unit.json')}`,
    ],
  },
  {
    script: 'test:browser',
    // Both take all cores, so one runs after the other, whether or not the first has succeeded.
    needs: isLong ? ['reference', 'tools'] : ['reference'],
    waitsFor: [isLong ? 'test:coverage' : 'test:unit'],
    isLive: true,
  },
];

const begun = Date.now();
const results = new Map();
/** Each step's end, by its script: `true` if it has succeeded. */
const ends = new Map();
for (const step of STEPS) ends.set(step.script, run(step));
await Promise.all(ends.values());
const seconds = (ms) => (ms / 1000).toFixed(1);
for (const { script } of STEPS) {
  const { outcome, output } = results.get(script);
  if (outcome === 'failed') console.log(`\n${failuresIn(output)}\n\nnpm run ${script} has failed.`);
}
console.log('');
for (const { script } of STEPS) {
  const { outcome, ms } = results.get(script);
  console.log(`${outcome.padEnd(8)} ${seconds(ms).padStart(7)} s  npm run ${script}`);
}
const total = Date.now() - begun;
console.log(`${' '.repeat(8)} ${seconds(total).padStart(7)} s  in all`);
if (!isLong) {
  console.log(
    `\n${Object.keys(LEFT_FOR_LONG).length} files and groups of tests run only in npm run test:long: see test/long.mjs.`,
  );
}
if (report) {
  const steps = STEPS.map(({ script }) => {
    const { outcome, ms } = results.get(script);
    return { script, outcome, ms };
  });
  writeFileSync(join(report, 'steps.json'), JSON.stringify({ total, steps }));
}
if ([...results.values()].some(({ outcome }) => outcome !== 'passed')) process.exitCode = 1;

async function run({ script, needs = [], waitsFor = [], isLive = false, parameters }) {
  // One turn later, all steps are in the map.
  await undefined;
  await Promise.all(waitsFor.map((name) => ends.get(name)));
  const areReady = (await Promise.all(needs.map((name) => ends.get(name)))).every(Boolean);
  if (!areReady) {
    results.set(script, { outcome: 'left out', ms: 0, output: '' });
    return false;
  }
  const start = Date.now();
  const { status, output } = await runScript(script, parameters, isLive);
  if (status !== 0) console.error(`\n${isLive ? '' : `${output}\n`}npm run ${script} has failed.\n`);
  results.set(script, { outcome: status === 0 ? 'passed' : 'failed', ms: Date.now() - start, output });
  return status === 0;
}

function runScript(script, parameters, isLive) {
  if (report) mkdirSync(report, { recursive: true });
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', script, ...(parameters ? ['--', ...parameters] : [])], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...(isLong ? { TEST_LONG: isRest ? 'rest' : '1' } : {}),
        ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      },
      // On Windows, npm is a script for the shell.
      shell: process.platform === 'win32',
    });
    let output = '';
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
        if (isLive) process[name].write(chunk);
      });
    }
    child.on('close', (status) => resolve({ status, output }));
  });
}

/**
 * What a failed step says of its failures: the list of vitest or of the browser tests, the coverage that is too low, or
 * the end of the output. Some records of a run keep only its last lines, so these are few.
 */
function failuresIn(output) {
  const lines = stripVTControlCharacters(output).trimEnd().split('\n');
  const first = lines.findIndex((line) => /⎯ (Failed|Unhandled) |^The run has /.test(line));
  if (first >= 0) return lines.slice(first, first + MOST_LINES).join('\n');
  const tooLow = lines.filter((line) => line.startsWith('ERROR: Coverage'));
  return (tooLow.length > 0 ? tooLow : lines).slice(-MOST_LINES).join('\n');
}
