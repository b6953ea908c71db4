/**
 * A small checkout with the real build and start. Its parts do next to nothing, but say when they begin and wait until
 * they may go on, so that tests count steps and never wait for time.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
// @ts-expect-error The file is plain JavaScript.
import { isRunning } from '../../src/build/make.mjs';
import { makeTemporaryFolder } from '../service/support/temporary-folder.ts';

/** The real files. `parts.mjs` and `sizes.mjs` are those of the small checkout. */
const REAL = [
  'build.mjs',
  ...['background', 'fault', 'fresh', 'make', 'run', 'start'].map((name) => `src/build/${name}.mjs`),
  'src/service/app/open-files.mjs',
];

/** Each part is made of one file, which has the part's name. The content of the file is what is built. */
const PARTS = `
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { BuildError } from './fault.mjs';

const part = (name, atStart, outputs, built = outputs) => ({
  name,
  atStart,
  sources: ['src/' + name, 'build/' + name],
  outputs,
  async make(out) {
    const answer = await fetch(process.env.GATE + '/' + name);
    const word = await answer.text();
    if (word === 'block') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    if (word === 'die') process.kill(process.pid, 'SIGKILL');
    if (word === 'no tools') await import('a-tool-that-is-not-installed');
    if (word === 'read-only') throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
    if (!answer.ok) throw new BuildError(word);
    for (const file of built) {
      mkdirSync(dirname(out + '/' + file), { recursive: true });
      copyFileSync('src/' + name, out + '/' + file);
    }
    return word === 'reads more' ? ['src/' + name, 'src/other'] : ['src/' + name];
  },
});
export const PARTS = [
  part('programs', 'before', ['service'], ['service/run.js']),
  part('scripts', 'before', ['scripts.js']),
  { ...part('widget', 'beside', ['widget.js']), needs: ['scripts'] },
  part('docs', 'after', ['docs'], ['docs/index.json', 'docs/pages/start.json']),
  part('reference', 'after', ['reference'], ['reference/index.html']),
  part('package', undefined, ['types'], ['types/index.d.ts']),
];
`;

/** Stands for the service: it says what is still being made, and what becomes of it. */
const SERVICE = `
export async function run({ parameters, making }) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
  const say = (line) => process.stdout.write(line + '\\n');
  say('runs with ' + parameters.join(' '));
  for (const [part, made] of Object.entries(making)) {
    made?.then(() => say(part + ' made'), (error) => say(part + ' failed: ' + error.message));
  }
  if (parameters.includes('--help')) return;
  await fetch(process.env.GATE + '/listen');
  say('listens');
  setInterval(() => {}, 1_000_000);
}
`;

/** A part that has begun, and waits. */
export interface Held {
  /** @param word what the part does, such as `block`; see above */
  goOn(word?: string): void;
  fail(reason: string): void;
  /** Resolves when the process of the part has closed its sockets. */
  readonly ended: Promise<void>;
}

export interface Started {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process has printed this line. */
  said(line: string): Promise<void>;
  /** How many processes it has begun that have not ended. */
  children(): number;
  output(): string;
  errors(): string;
  readonly exit: Promise<number | string | null>;
}

/** @param from the folder of a checkout to copy, with what it has built @default a new one */
export async function openCheckout(from?: string) {
  const folder = makeTemporaryFolder('build-');
  const write = (file: string, text: string) => {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const fill = () => {
    for (const file of REAL) cpSync(file, join(folder, file));
    write('package.json', '{ "type": "module" }');
    write('src/build/parts.mjs', PARTS);
    write('src/build/sizes.mjs', 'export const weighAll = () => false;');
    write('src/programs', SERVICE);
    for (const name of ['scripts', 'widget', 'docs', 'reference', 'package'])
      write(`src/${name}`, `${name} 1`);
  };
  if (from) cpSync(from, folder, { recursive: true });
  else fill();

  /** What has begun, in order. */
  const steps: string[] = [];
  const holds = new Map<string, ((held: Held) => void)[]>();
  const gate = createServer((request, response) => {
    const name = request.url!.slice(1);
    steps.push(name);
    const held = holds.get(name)?.shift();
    if (held) held(holdBack(response));
    else response.end();
  });
  // A connection ends with its process, and not before.
  gate.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  const { port } = gate.address() as AddressInfo;
  const running: Started[] = [];

  const launch = (script: string, parameters: readonly string[]): Started => {
    const child = spawn(process.execPath, [script, ...parameters], {
      cwd: folder,
      env: { ...process.env, GATE: `http://127.0.0.1:${port}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    const looks = new Set<() => void>();
    child.stdout.on('data', (chunk) => {
      output += chunk;
      for (const look of looks) look();
    });
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    const exit = new Promise<number | string | null>((resolve) => {
      child.on('close', (code, signal) => resolve(signal ?? code));
    });
    const started: Started = {
      pid: child.pid!,
      kill: (signal) => void child.kill(signal),
      said: (line) =>
        new Promise((resolve, reject) => {
          const look = () => {
            if (output.split('\n').includes(line)) resolve();
          };
          looks.add(look);
          look();
          void exit.then((end) =>
            reject(new Error(`Expected "${line}", got the end (${end}): ${output}${errors}`)),
          );
        }),
      children: () => {
        const processes = execFileSync('ps', ['-A', '-o', 'ppid='], { encoding: 'utf8' });
        return processes.split('\n').filter((line) => Number(line) === child.pid).length;
      },
      output: () => output,
      errors: () => errors,
      exit,
    };
    running.push(started);
    return started;
  };

  onTestFinished(async () => {
    for (const { kill } of running) kill('SIGKILL');
    await Promise.all(running.map(({ exit }) => exit));
    gate.closeAllConnections();
    gate.close();
    rmSync(folder, { recursive: true });
  });

  return {
    steps,
    /** Holds a part back the next time that it begins. @returns what resolves then */
    hold: (name: string): Promise<Held> =>
      new Promise((resolve) => holds.set(name, [...(holds.get(name) ?? []), resolve])),
    start: (...parameters: string[]) => launch('src/build/start.mjs', parameters),
    build: async (...parameters: string[]) => {
      const { exit, errors } = launch('build.mjs', parameters);
      return { status: await exit, errors: errors() };
    },
    /** The processes of unfinished parts that still run. A killed one takes a moment after its sockets have closed. */
    builders: () =>
      readdirSync(join(folder, 'dist')).flatMap((name) => {
        const [, pid] = /^\.unfinished-.*-(\d+)$/.exec(name) ?? [];
        return pid !== undefined && isRunning(Number(pid)) ? [name] : [];
      }),
    write,
    remove: (file: string) => rmSync(join(folder, file), { recursive: true }),
    has: (file: string) => existsSync(join(folder, file)),
    read: (file: string) => readFileSync(join(folder, file), 'utf8'),
    folder,
  };
}

function holdBack(response: ServerResponse): Held {
  const { socket } = response.req;
  return {
    goOn: (word = '') => void response.end(word),
    fail: (reason) => void response.writeHead(500).end(reason),
    ended: new Promise((resolve) => socket.on('close', () => resolve())),
  };
}
