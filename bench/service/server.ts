/** A server in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Server {
  readonly origin: string;
  memory(): Promise<{ heap: number; rss: number }>;
  stop(): Promise<void>;
}

/** Starts a script that says "listening on <origin>" once it does. */
export async function startServer(script: string, parameters: readonly string[]): Promise<Server> {
  const server: ChildProcess = spawn(
    process.execPath,
    ['--expose-gc', '--import', './bench/service/memory-probe.mjs', script, ...parameters],
    { stdio: ['ignore', 'pipe', 'ignore', 'ipc'] },
  );
  const origin = await new Promise<string>((done, failed) => {
    let said = '';
    server.stdout!.on('data', (chunk) => {
      said += chunk;
      const [, found] = /listening on (\S+)\n/.exec(said) ?? [];
      if (found) done(found);
    });
    server.on('exit', (code) => failed(new Error(`Expected ${script} to run, but it ended with ${code}.`)));
  });
  return {
    origin,
    async memory() {
      const answer = once(server, 'message');
      server.send('memory');
      const [memory] = (await answer) as [{ heap: number; rss: number }];
      return memory;
    },
    async stop() {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    },
  };
}
