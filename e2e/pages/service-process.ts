/** Starts the real service as its users do: the built file, a config file, a free port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
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

/** The demo, as `npm start` serves it; on a port where another has been, or a free one. */
export const startDemo = (port = 0): Promise<RunningService> =>
  start(['--demo'], /^ +Demo +(http:\/\/\S+)\/$/, port);

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
