/** Runs one PostgreSQL server as a child process that ends soon after Node. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cannotEmbed, codeOf } from './embedded-advice.ts';
import { asUser, databaseEnvironment, type SystemUser } from './run-command.ts';

/**
 * The shell becomes the server and leaves a watcher behind, which waits on a pipe from Node (descriptor 4). If Node
 * ends, even by SIGKILL, the pipe closes and the watcher stops the server. If Node writes a line first, it does not.
 * The watcher is not a child of the server, which expects only children of its own making. It closes the lock (3),
 * because the lock must end with the server.
 */
const LAUNCHER = `
exec 4<&0
( ( IFS= read -r line <&4 || kill -INT $$ ) 3>&- >/dev/null 2>&1 & )
exec "$@" </dev/null 4<&-
`;

/** After this time, a fast shutdown becomes an immediate one. The next start recovers from that. */
const LONGEST_STOP_MS = 10_000;

/** The parameters of a start. */
export interface ServerPlan {
  readonly postgres: string;
  readonly parameters: readonly string[];
  /** The folder of the cluster. */
  readonly cwd: string;
  readonly user: SystemUser | undefined;
  /** The file for the server's output. A pipe to Node would block the server once it is full. */
  readonly log: number;
  /** The descriptor of the folder's lock. */
  readonly lock: number;
}

/** A server that has been started. */
export interface ServerProcess {
  readonly pid: number | undefined;
  /** Resolves with an exit code, a signal, or the system error that prevented the start. */
  readonly ended: Promise<string>;
  /** Shuts the server down without waiting for its clients, and waits for its end. */
  stop(): Promise<void>;
}

/** Starts the server, which takes a moment until it accepts connections. */
export function spawnServer({ postgres, parameters, cwd, user, log, lock }: ServerPlan): ServerProcess {
  // A separate process group, so that Ctrl-C reaches only Node, which stops the server when it no longer needs it.
  const start = asUser(user, '/bin/sh', ['-c', LAUNCHER, 'sh', postgres, ...parameters]);
  const child = spawn(start.file, start.parameters, {
    ...start.ids,
    cwd,
    detached: true,
    env: databaseEnvironment(),
    stdio: ['pipe', log, log, lock],
  });
  const ended = waitForEnd(child);
  return {
    pid: child.pid,
    ended,
    async stop() {
      dismissWatcher(child);
      child.kill('SIGINT');
      const impatience = setTimeout(() => child.kill('SIGQUIT'), LONGEST_STOP_MS);
      await ended;
      clearTimeout(impatience);
    },
  };
}

function waitForEnd(child: ChildProcess): Promise<string> {
  // The watcher may have ended already.
  child.stdin?.on('error', () => {});
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(codeOf(error)));
    child.on('exit', (code, signal) => {
      // Another process may soon get its process id.
      dismissWatcher(child);
      resolve(signal ?? `exit code ${code}`);
    });
  });
}

/** Ends the watcher, so that it does not signal the server. */
function dismissWatcher(child: ChildProcess): void {
  if (child.stdin?.writable) child.stdin.end('dismissed\n');
}

/** The error for a server that ended before it accepted connections. */
export function endedEarly(how: string, reason: string | undefined, log: string): Error {
  return cannotEmbed(
    `Expected the embedded database to start, got ${reason ? `"${reason}"` : how}.`,
    `Read ${log} and remove the cause`,
  );
}
