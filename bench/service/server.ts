/** A server in a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Profile } from '../widget/profile.ts';

export interface Server {
  readonly origin: string;
  readonly pid: number;
  /** Resolves at its end, whatever ends it. */
  readonly ended: Promise<unknown>;
  /** Its output until it listened. */
  readonly said: string;
  /** The processor time it has used so far, in microseconds. */
  processor(): Promise<number>;
  memory(): Promise<Memory>;
  /** The largest resident set so far, in bytes. */
  peak(): Promise<number>;
  /** Returns the longest turns of its event loop during some work. */
  turns(act: () => Promise<unknown>): Promise<Turns>;
  /** Profiles the server during some work. */
  profile(act: () => Promise<unknown>): Promise<Profile>;
  /** Stops the server. Does nothing if it has ended already. */
  stop(): Promise<void>;
  /** Kills the server, like a crash. */
  kill(): Promise<void>;
}

/** In milliseconds. */
export interface Turns {
  /** The longest turn. */
  readonly turn: number;
  /** The most processor time in one turn, of all threads of the process. */
  readonly processor: number;
}

interface Memory {
  readonly heap: number;
  readonly rss: number;
}

/**
 * Starts a script that prints "listening on <origin>" when it is ready.
 *
 * @param environment variables in addition to those of this process @param onLine gets each line of its log
 */
export async function startServer(
  script: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  onLine?: (line: string) => void,
): Promise<Server> {
  const server: ChildProcess = spawn(
    process.execPath,
    ['--expose-gc', '--import', './bench/service/probe.mjs', script, ...parameters],
    { stdio: ['ignore', 'pipe', onLine ? 'pipe' : 'ignore', 'ipc'], env: { ...process.env, ...environment } },
  );
  if (onLine) createInterface({ input: server.stderr! }).on('line', onLine);
  const ended = once(server, 'exit');
  let said = '';
  const origin = await new Promise<string>((done, failed) => {
    server.stdout!.on('data', (chunk) => {
      said += chunk;
      const [, found] = /listening on (\S+)\n/.exec(said) ?? [];
      if (found) done(found);
    });
    server.on('exit', (code) => failed(new Error(`Expected ${script} to run, but it ended with ${code}.`)));
  });
  return {
    origin,
    pid: server.pid!,
    ended,
    said,
    processor: () => ask(server, 'processor') as Promise<number>,
    memory: () => ask(server, 'memory') as Promise<Memory>,
    peak: () => ask(server, 'peak') as Promise<number>,
    async turns(act) {
      await ask(server, 'turns');
      await act();
      return (await ask(server, 'longest')) as Turns;
    },
    async profile(act) {
      await ask(server, 'watch');
      await act();
      return (await ask(server, 'profile')) as Profile;
    },
    async stop() {
      server.kill();
      await ended;
    },
    async kill() {
      server.kill('SIGKILL');
      await ended;
    },
  };
}

/** Asks the probe in the process. */
async function ask(server: ChildProcess, question: string): Promise<unknown> {
  const answer = once(server, 'message');
  server.send(question);
  const [found] = await answer;
  return found;
}
