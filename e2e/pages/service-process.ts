/** Starts the real service as its users do: the built file, a config file, a free port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/service/main.js', import.meta.url));

export interface RunningService {
  readonly origin: string;
  stop(): Promise<void>;
}

/** @param configFile where the config may be written */
export async function startService(config: unknown, configFile: string): Promise<RunningService> {
  if (!existsSync(MAIN))
    throw new Error('Expected dist/service/main.js, found nothing. Run `npm run build` first.');
  writeFileSync(configFile, JSON.stringify(config));
  const child = spawn(process.execPath, [MAIN, '--config', configFile, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), exit.then(() => undefined)]);
  const origin = /^listening on (http:\/\/\S+)$/.exec(String(first?.[0] ?? ''))?.[1];
  if (origin === undefined) {
    child.kill();
    throw new Error(
      `Expected "listening on http://HOST:PORT", got ${first?.[0] ?? 'an exit'}.\n${complaints}`,
    );
  }
  return {
    origin,
    async stop() {
      child.kill('SIGTERM');
      await exit;
    },
  };
}
