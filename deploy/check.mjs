/**
 * Runs the steps of the Dockerfile one by one in a clean folder, without Docker, and asks the service that comes out of
 * them. It takes minutes and installs packages, so `npm test` does not run it.
 *
 *   node deploy/check.mjs
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDockerfile } from './read-dockerfile.mjs';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'email-verify-image-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));

/** What Docker would be given: the tracked files, of which .dockerignore leaves out more. */
const context = join(root, 'context');
const tracked = spawnSync('git', ['ls-files', '-z'], { cwd: PROJECT, encoding: 'utf8' }).stdout.split('\0');
const ignored = readFileSync(join(PROJECT, '.dockerignore'), 'utf8').split('\n');
const kept = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
const isKept = (path) =>
  kept.some((name) => new RegExp(`^${name.replaceAll('.', '\\.').replace('*', '[^/]*')}(/|$)`).test(path));
for (const path of tracked.filter((path) => path !== '' && isKept(path) && existsSync(join(PROJECT, path)))) {
  cpSync(join(PROJECT, path), join(context, path));
}

let last;
for (const { name, steps } of readDockerfile(readFileSync(join(PROJECT, 'deploy/Dockerfile'), 'utf8'))) {
  const stage = join(root, name ?? 'final');
  let folder = stage;
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  for (const { instruction, words, text } of steps) {
    console.log(`${basename(stage)}: ${instruction} ${text}`);
    if (instruction === 'WORKDIR') {
      folder = join(stage, text);
      mkdirSync(folder, { recursive: true });
    }
    if (instruction === 'ENV') for (const pair of words) env[pair.split('=')[0]] = pair.split('=')[1];
    if (instruction === 'COPY') copy(words, folder);
    // A user would stay on this machine.
    if (instruction === 'RUN' && words[0] !== 'useradd') run(text, folder, env);
  }
  last = { folder, env };
}
await ask(last);
console.log('The service of the image answers.');

function copy(words, folder) {
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const paths = words.filter((word) => !word.startsWith('--'));
  const to = resolve(folder, paths.pop());
  for (const path of paths) {
    const source = join(from ? join(root, from) : context, path);
    const isInto = to === folder || words.at(-1).endsWith('/');
    const isContents = path === '.';
    cpSync(source, isInto && !isContents ? join(to, basename(path)) : to, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

function run(command, folder, env) {
  const { status } = spawnSync('/bin/sh', ['-c', command], { cwd: folder, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`It failed: ${command}`);
}

/** Starts what the image starts, with a key instead of a database, and asks what the HEALTHCHECK asks. */
async function ask({ folder, env }) {
  const key = 'test_private_check';
  const variables = { ...env, EVW_PORT: '0', EVW_KEYS: JSON.stringify([{ key, kind: 'private' }]) };
  const service = spawn(process.execPath, ['dist/service/main.js'], {
    cwd: folder,
    env: variables,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(service.stdout, 'data');
    const port = /:(\d+)\n/.exec(line)[1];
    for (const path of [
      '/healthz',
      '/v2/',
      '/docs/start/',
      '/reference/',
      `/v1/verify?api_key=${key}&email=role@example.com`,
    ]) {
      const { status } = await fetch(`http://127.0.0.1:${port}${path}`);
      console.log(`${status} ${path}`);
      if (status !== 200) throw new Error(`Expected 200 for ${path}, got ${status}.`);
    }
    const help = spawnSync(process.execPath, ['dist/admin/main.js', '--help'], { cwd: folder, env });
    if (help.status !== 0) throw new Error(`The admin command does not run: ${help.stderr}`);
  } finally {
    service.kill();
  }
}
