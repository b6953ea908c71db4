/** Starts the real service as its users do: the built file, a config file, a free port. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemporaryFolder } from '../../test/service/support/temporary-folder.ts';

const MAIN = fileURLToPath(new URL('../../dist/service/main.js', import.meta.url));

export interface RunningService {
  readonly origin: string;
  /** Its output until it was ready. */
  readonly said: string;
  /** Stops it normally. It waits for open requests. */
  stop(): Promise<void>;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
}

/** @param configFile the path to which the config is written @param port @default a free one */
export async function startService(config: unknown, configFile: string, port = 0): Promise<RunningService> {
  writeFileSync(configFile, JSON.stringify(config));
  return start(['--config', configFile], /^listening on (http:\/\/\S+)$/m, port);
}

/** A folder of a test. A database whose service was killed removes its last files a moment later. */
export const removeFolder = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });

/**
 * Makes data folders that begin alike. The first one takes seconds, because a database cluster is made, so the others
 * are copies of it.
 *
 * @param fill starts what fills the data folder, and stops it
 * @returns a function that makes a new folder with such a data folder in it, and returns both
 */
export function copiesOf(
  name: string,
  fill: (data: string) => Promise<void>,
): () => Promise<{ folder: string; data: string }> {
  let filled: Promise<string> | undefined;
  const make = async () => {
    const folder = makeTemporaryFolder(`evw-${name}-`);
    process.on('exit', () => removeFolder(folder));
    await fill(join(folder, 'data'));
    return join(folder, 'data');
  };
  return async () => {
    filled ??= make();
    const first = await filled;
    const folder = makeTemporaryFolder(`evw-${name}-`);
    // The database refuses a folder of another user, so the copy keeps the owner.
    execFileSync('cp', ['-a', first, folder]);
    return { folder, data: join(folder, 'data') };
  };
}

const newDemoData = copiesOf('demo', async (data) => {
  const demo = await startDemoOn(data);
  await demo.stop();
});

const startDemoOn = (data: string, port = 0) =>
  start(['--demo', '--data', data], /^ +Demo +(http:\/\/\S+)\/$[\s\S]*Ctrl\+C/m, port);

/** The demo as `npm start` serves it, with its own data folder. Without a given port, it takes a free one. */
export async function startDemo(port = 0): Promise<RunningService> {
  const { folder, data } = await newDemoData();
  try {
    const demo = await startDemoOn(data, port);
    const ending = (end: () => Promise<void>) => () => end().finally(() => removeFolder(folder));
    return { ...demo, stop: ending(demo.stop), kill: ending(demo.kill) };
  } catch (error) {
    removeFolder(folder);
    throw error;
  }
}

/** @param announcement the line that it prints when it is ready, with its URL */
async function start(parameters: string[], announcement: RegExp, port = 0): Promise<RunningService> {
  if (!existsSync(MAIN))
    throw new Error('Expected dist/service/main.js, found nothing. Run `npm run build` first.');
  const child = spawn(process.execPath, [MAIN, ...parameters, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  let said = '';
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const origin = await new Promise<string | undefined>((resolve) => {
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const found = announcement.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on('exit', () => resolve(undefined));
  });
  if (origin === undefined)
    throw new Error(`Expected output like ${announcement}, got none before the end.\n${said}${complaints}`);
  return {
    ...{ origin, said },
    async stop() {
      child.kill('SIGTERM');
      await exit;
    },
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
