/**
 * Measures what everybody who works on the project waits for, as a stranger meets it: in a clean clone.
 *
 *   npm run bench:loop              install, start, one test file, and `npm test`; writes bench/loop.md
 *   npm run bench:loop -- --busy    also `npm test`, three times, beside two processes that compute all the time
 *   npm run bench:loop -- --long    also `npm run test:long`
 *
 * Run it on a machine that is otherwise idle. It measures what is committed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const isBusyToo = process.argv.includes('--busy');
const isLongToo = process.argv.includes('--long');

const SMALL_FILE = 'test/shared/sha256.test.ts';
const DEAREST = 20;
/** Ends when this process has ended, however it did. */
const BUSY =
  'const { ppid } = process; while (process.ppid === ppid) for (let i = 0; i < 1e8; i += 1) Math.sqrt(i);';

const folder = mkdtempSync(join(tmpdir(), 'bench-loop-'));
const clone = join(folder, 'clone');
const lines = [];
const print = (line = '') => {
  console.log(line);
  lines.push(line);
};
const rows = [];
const add = (what, figure, goal) => {
  rows.push({ what, figure, goal });
  console.error(`${what}: ${figure} (goal ${goal})`);
};

try {
  spawnSync('git', ['clone', '--quiet', root, clone], { stdio: 'inherit' });
  measureInstall();
  await measureStart();
  const file = timed('npm', ['run', 'test:unit', '--', SMALL_FILE]);
  add(`one file: \`npm run test:unit -- ${SMALL_FILE}\``, outcome(file), '3 s');
  const runs = [['npm test, quiet machine', 'test', '6 min', 0]];
  if (isLongToo) runs.push(['npm run test:long, quiet machine', 'test:long', '25 min', 0]);
  if (isBusyToo)
    for (const time of ['first', 'second', 'third'])
      runs.push([`npm test, two processes that compute all the time, ${time} time`, 'test', '8 min', 2]);
  const reports = [];
  for (const [what, script, goal, load] of runs) {
    const report = join(folder, `report-${reports.length}`);
    const burners = Array.from({ length: load }, () => spawn(process.execPath, ['-e', BUSY]));
    const run = timed('npm', ['run', script], { TEST_REPORT: report }, 'inherit');
    for (const burner of burners) burner.kill('SIGKILL');
    add(what, outcome(run), goal);
    if (run.status === 0) reports.push({ what, report });
  }
  print('# The loop');
  print();
  print(`Written by \`npm run bench:loop\` in a clean clone, with Node ${process.versions.node} on`);
  print(`${availableParallelism()} cores (${cpus()[0]?.model.trim() || process.arch}).`);
  print();
  print('| what | measured | goal |');
  print('| --- | --- | --- |');
  for (const { what, figure, goal } of rows) print(`| ${what} | ${figure} | ${goal} |`);
  for (const { what, report } of reports) printReport(what, report);
  writeFileSync(join(root, 'bench/loop.md'), `${lines.join('\n')}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measureInstall() {
  const install = timed('npm', ['ci']);
  const warnings = install.output.split('\n').filter((line) => line.includes('npm warn')).length;
  const lock = JSON.parse(readFileSync(join(clone, 'node_modules/.package-lock.json'), 'utf8'));
  const folders = ['', 'docs/reference/', 'src/service/'].map((workspace) => `${workspace}node_modules`);
  const size = spawnSync('du', ['-cm', ...folders.filter((name) => existsSync(join(clone, name)))], {
    cwd: clone,
    encoding: 'utf8',
  });
  const megabytes = size.stdout?.trim().split('\n').at(-1)?.split('\t')[0] ?? '?';
  const packages = Object.keys(lock.packages).length;
  add(
    '`npm ci`',
    `${outcome(install)}, ${packages} packages, ${megabytes} MB, ${warnings} warnings`,
    'no warning, 450 MB',
  );
}

/** How long it takes from `npm start` until the first page answers: the first time, and again. */
async function measureStart() {
  for (const [which, goal] of [
    ['first time', '4 s'],
    ['second time', '1.5 s'],
  ]) {
    const start = performance.now();
    const child = spawn('npm', ['start'], {
      cwd: clone,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const url = await new Promise((resolve, reject) => {
      let output = '';
      child.stdout.on('data', (chunk) => {
        output += chunk;
        const [found] = /http:\/\/[\d.]+:\d+/.exec(output) ?? [];
        if (found) resolve(found);
      });
      child.on('exit', () => reject(new Error(`Expected npm start to print a URL, got:\n${output}`)));
    });
    while ((await fetch(url).catch(() => undefined))?.status !== 200);
    add(`\`npm start\`, ${which}, until the page answers`, seconds(performance.now() - start), goal);
    process.kill(-child.pid, 'SIGINT');
    await ended;
  }
}

function timed(command, parameters, environment = {}, stdio = 'pipe') {
  const start = performance.now();
  const run = spawnSync(command, parameters, {
    cwd: clone,
    encoding: 'utf8',
    stdio: ['ignore', stdio, stdio],
    maxBuffer: Number.POSITIVE_INFINITY,
    env: { ...process.env, ...environment },
  });
  return { status: run.status, ms: performance.now() - start, output: `${run.stdout}${run.stderr}` };
}

function outcome({ status, ms }) {
  return `${status === 0 ? '' : 'failed, '}${seconds(ms)}`;
}

function seconds(ms) {
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`;
}

function printReport(what, report) {
  const { total, steps } = readJson(join(report, 'steps.json'));
  print();
  print(`## ${what}`);
  print();
  print('| step | took | share |');
  print('| --- | --: | --: |');
  for (const { script, ms } of steps) {
    print(`| \`npm run ${script}\` | ${seconds(ms)} | ${Math.round((ms / total) * 100)} % |`);
  }
  print();
  print('| dearest files | took |');
  print('| --- | --: |');
  const files = [...unitFiles(report), ...browserFiles(report)].sort((one, other) => other.ms - one.ms);
  for (const { file, ms } of files.slice(0, DEAREST)) print(`| \`${file}\` | ${seconds(ms)} |`);
}

/** Each file with the time in which its tests ran. */
function unitFiles(report) {
  return readJson(join(report, 'unit.json')).testResults.map(({ name, startTime, endTime }) => ({
    file: relative(clone, name),
    ms: endTime - startTime,
  }));
}

function browserFiles(report) {
  const totals = new Map();
  const walk = (suite) => {
    for (const { tests } of suite.specs ?? []) {
      const ms = tests.flatMap(({ results }) => results).reduce((sum, { duration }) => sum + duration, 0);
      const file = `e2e/${suite.file.replace(/^.*e2e\//, '')}`;
      totals.set(file, (totals.get(file) ?? 0) + ms);
    }
    for (const inner of suite.suites ?? []) walk(inner);
  };
  for (const suite of readJson(join(report, 'browser.json')).suites) walk(suite);
  return [...totals].map(([file, ms]) => ({ file, ms }));
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
