/** Starts the real service as its users do: the built file, a config file, a free port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/service/main.js', import.meta.url));

export interface RunningService {
  readonly origin: string;
  /** Ends it in order: it waits for open requests. */
  stop(): Promise<void>;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
}

/** @param configFile where the config may be written */
export async function startService(config: unknown, configFile: string): Promise<RunningService> {
  writeFileSync(configFile, JSON.stringify(config));
  return start(['--config', configFile], /^listening on (http:\/\/\S+)$/);
}

/** The demo, as `npm start` serves it, with a data folder of its own. Its port is free unless one is given. */
export async function startDemo(port = 0): Promise<RunningService> {
  const folder = mkdtempSync(join(tmpdir(), 'evw-demo-'));
  // The database runs as another user when the tests run as root.
  chmodSync(folder, 0o755);
  // A database whose service was killed removes its last files a moment later.
  const removeFolder = () =>
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  try {
    const demo = await start(['--demo', '--data', join(folder, 'data')], /^ +Demo +(http:\/\/\S+)\/$/, port);
    const ending = (end: () => Promise<void>) => () => end().finally(removeFolder);
    return { origin: demo.origin, stop: ending(demo.stop), kill: ending(demo.kill) };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/** @param announcement the line that tells where it listens */
async function start(parameters: string[], announcement: RegExp, port = 0): Promise<RunningService> {
  if (!existsSync(MAIN))
    throw new Error('Expected dist/service/main.js, found nothing. Run `npm run build` first.');
  const child = spawn(process.execPath, [MAIN, ...parameters, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const exit = once(child, 'exit');
  let origin: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    complaints += `${line}\n`;
    origin = announcement.exec(line)?.[1];
    if (origin !== undefined) break;
  }
  if (origin === undefined) {
    child.kill();
    throw new Error(`Expected a line like ${announcement}, got none before the end.\n${complaints}`);
  }
  // What it prints later is nobody's concern, but must not fill the pipe.
  child.stdout.resume();
  return {
    origin,
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
