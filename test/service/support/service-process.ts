/** The built service as a separate process, with temporary configs and data folders. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { onTestFinished, vi } from 'vitest';
import { MIGRATIONS } from '../../../src/service/database/migrate.ts';
import { freePath } from './room.ts';

export const MAIN = 'dist/service/main.js';
const PARTS = 'dist/service/parts';
const LISTENS = /^listening on (http:\/\/127\.0\.0\.1:\d+)\n/;
export const DEMO_LISTENS = /Demo +(http:\/\/127\.0\.0\.1:\d+)\/.*Ctrl\+C/s;

if (!existsSync(MAIN)) throw new Error(`Expected ${MAIN}, got none. Run "npm run build" first.`);
const LATEST = Object.keys(MIGRATIONS).at(-1)!;
const parts = readdirSync(PARTS).filter((name) => name.endsWith('.js'));
if (!parts.some((name) => readFileSync(`${PARTS}/${name}`).includes(LATEST))) {
  throw new Error(`Expected ${MAIN} with the migration ${LATEST}, got an older build. Run "npm run build".`);
}

export function writeConfig(config: unknown): string {
  const path = `${freePath()}.json`;
  writeFileSync(path, typeof config === 'string' ? config : JSON.stringify(config));
  return path;
}

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly errors: () => string;
  readonly exit: Promise<number | null>;
}

export interface ListeningProcess extends ServiceProcess {
  readonly address: string;
}

export interface ProcessOptions {
  /** Replaces variables of the environment. `DATABASE_URL` is not set by default. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether the process leads its own process group. */
  readonly detached?: boolean;
  /** Gets what kills the process. @default it is killed when the test ends */
  readonly atEnd?: (kill: () => Promise<void>) => unknown;
}

/** Starts a command. */
export function launch(
  command: string,
  parameters: readonly string[],
  { environment = {}, detached = false, atEnd = onTestFinished }: ProcessOptions = {},
): ServiceProcess {
  const child = spawn(command, parameters, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DATABASE_URL: undefined, ...environment },
    detached,
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  atEnd(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  return { child, output: () => output, errors: () => errors, exit };
}

/** Starts a command and waits until it says that it listens. */
export async function listening(
  command: string,
  parameters: readonly string[],
  options: ProcessOptions & { readonly pattern?: RegExp } = {},
): Promise<ListeningProcess> {
  const { pattern = LISTENS } = options;
  const started = launch(command, parameters, options);
  const address = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = pattern.exec(started.output())?.[1];
      if (found) resolve(found);
    };
    started.child.stdout!.on('data', look);
    started.exit.then((code) =>
      reject(new Error(`ended with ${code}: ${started.output()}${started.errors()}`)),
    );
  });
  return { ...started, address };
}

/** Waits until the process at this address takes requests. */
export const untilReady = (address: string) =>
  vi.waitUntil(async () => (await fetch(`${address}/readyz`)).status === 200, { interval: 50 });

/** Runs the service with a config. */
export const serve = (config: unknown, options: ProcessOptions = {}) =>
  listening(process.execPath, [MAIN, '--config', writeConfig(config), '--port', '0'], options);

/** Runs the service until it ends by itself. */
export async function runToEnd(parameters: readonly string[], options: ProcessOptions = {}) {
  const { exit, output, errors } = launch(process.execPath, [MAIN, ...parameters], options);
  return { status: await exit, stdout: output(), stderr: errors() };
}

/** Runs the demo. */
export const startDemo = (
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) => listening(process.execPath, [MAIN, '--demo', ...parameters], { pattern: DEMO_LISTENS, environment });

/** The password of the demo's account, in what the demo has printed. */
export const passwordIn = (output: string) => /password (\S+) /.exec(output)?.[1];
