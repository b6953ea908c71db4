/** Starts the real service as its users do: the built file, a config file, a free port. */
import { spawn } from 'node:child_process';
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

/** @param configFile the path to which the config is written */
export async function startService(config: unknown, configFile: string): Promise<RunningService> {
  writeFileSync(configFile, JSON.stringify(config));
  return start(['--config', configFile], /^listening on (http:\/\/\S+)$/m);
}

/** The demo as `npm start` serves it, with its own data folder. Without a given port, it takes a free one. */
export async function startDemo(port = 0): Promise<RunningService> {
  const folder = makeTemporaryFolder('evw-demo-');
  // A database whose service was killed removes its last files a moment later.
  const removeFolder = () =>
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  try {
    const demo = await start(
      ['--demo', '--data', join(folder, 'data')],
      /^ +Demo +(http:\/\/\S+)\/$[\s\S]*Ctrl\+C/m,
      port,
    );
    const ending = (end: () => Promise<void>) => () => end().finally(removeFolder);
    return { ...demo, stop: ending(demo.stop), kill: ending(demo.kill) };
  } catch (error) {
    removeFolder();
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
