/** How long `npm start` takes in a clean checkout: the first time, when it builds, and the second time. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Figure, Part } from '../report.ts';
import { withSpread } from '../report.ts';
import { type Spread, spreadOf } from '../statistics.ts';

const CHECKOUT = resolve('test-results/bench/checkout');
/** What a start waits for until the page answers, and what comes by itself later. */
const URLS = ['/', '/v2/', '/docs/', '/reference/'];
const ROUNDS = 5;
const POLL_MS = 10;

/** The targets, in milliseconds until the page answers. */
const FIRST = 4_000;
const SECOND = 1_500;

export async function measureStart(isQuick: boolean): Promise<Part> {
  prepareCheckout();
  const first: number[][] = [];
  const second: number[][] = [];
  try {
    for (let round = 0; round < (isQuick ? 1 : ROUNDS); round += 1) {
      for (const made of ['dist', '.data']) rmSync(join(CHECKOUT, made), { recursive: true, force: true });
      first.push(await startOnce());
      second.push(await startOnce());
    }
  } finally {
    rmSync(CHECKOUT, { recursive: true, force: true });
  }
  return { title: 'The start', figures: [figureOf(first, second)] };
}

/** The tracked files as they are now, with the packages of this checkout. */
function prepareCheckout(): void {
  rmSync(CHECKOUT, { recursive: true, force: true });
  const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of files.filter((each) => existsSync(each))) cpSync(file, join(CHECKOUT, file));
  for (const folder of ['.', 'src/service', 'docs/reference']) {
    const packages = resolve(folder, 'node_modules');
    if (existsSync(packages)) symlinkSync(packages, join(CHECKOUT, folder, 'node_modules'));
  }
}

/** @returns how many milliseconds after its beginning each URL was there */
async function startOnce(): Promise<number[]> {
  const port = await freePort();
  const beganAt = performance.now();
  const npm = spawn('npm', ['start', '--', '--port', String(port)], {
    cwd: CHECKOUT,
    stdio: 'ignore',
    // A group of its own, which gets the signal as it does from a terminal.
    detached: true,
  });
  const exit = once(npm, 'exit');
  try {
    const times: number[] = [];
    for (const url of URLS) {
      while (!(await isThere(`http://127.0.0.1:${port}${url}`))) {
        if (npm.exitCode !== null)
          throw new Error(`Expected npm start to run, got exit code ${npm.exitCode}.`);
        await pause(POLL_MS);
      }
      times.push(performance.now() - beganAt);
    }
    return times;
  } finally {
    if (npm.exitCode === null) process.kill(-npm.pid!, 'SIGINT');
    await exit;
  }
}

const isThere = (url: string): Promise<boolean> =>
  fetch(url).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.ok;
    },
    () => false,
  );

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

function figureOf(first: readonly number[][], second: readonly number[][]): Figure {
  const spreads = (times: readonly number[][]) =>
    URLS.map((_, index) => spreadOf(times.map((row) => row[index]!)));
  const row = (name: string, times: readonly number[][]) => [
    name,
    ...spreads(times).map((each) => withSpread(each, 'ms')),
  ];
  const target = (name: string, times: readonly number[][], most: number) => {
    const [page] = spreads(times) as [Spread];
    return {
      text: `${name} at most ${most.toLocaleString('en')} ms`,
      found: withSpread(page, 'ms'),
      isMet: page.median <= most,
    };
  };
  return {
    title: 'npm start, until the page answers',
    how: 'The time from the beginning of `npm start` until the first 200, in a copy of this checkout with its packages. The first time, there is no `dist/` and no `.data/`.',
    head: ['', ...URLS.map((url) => `\`${url}\``)],
    rows: [row('first time', first), row('second time', second)],
    targets: [target('first time', first, FIRST), target('second time', second, SECOND)],
  };
}
