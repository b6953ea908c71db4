/** A throwaway PostgreSQL server for tests. It ends with the process that started it, even after `kill -9`. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries } from '../../../src/service/database/embedded/binaries.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const PASSWORD = 'not-secret';

/**
 * `sh` starts a watcher and then becomes the server. The watcher reads a pipe from the parent. When the pipe ends with
 * the parent, the watcher stops the server and removes its folder. A line on the pipe ends the watcher.
 */
const LAUNCH = `
  exec 3<&0
  ( ( IFS= read -r line <&3 || {
        kill -INT $$
        tries=0
        while kill -0 $$ && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
        rm -rf "$FOLDER"
      } 2>/dev/null
  ) & )
  exec "$@" </dev/null 3<&-`;

/** A running server, and what a test can do to it. */
export interface PostgresServer {
  /** The URL of a database on the server, as a user who may create databases. */
  url(database?: string): string;
  /** Ends the server at once, without a checkpoint. */
  kill(): Promise<void>;
  /** Stops the server's processes in place, so that connections hang. `thaw` lets them go on. */
  freeze(): void;
  thaw(): void;
  /** Starts the server again on the same folder and socket. */
  start(): Promise<void>;
  /** Ends the server and removes its folder. */
  remove(): Promise<void>;
}

export interface ServerOptions {
  /** The server whose streaming replica it becomes. The folder of the binaries has `pg_basebackup`. */
  readonly primary?: PostgresServer;
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Makes a cluster in a temporary folder and starts a server on a socket there.
 *
 * @param binaries the folder with `initdb` and `postgres`, by default those of the embedded PostgreSQL
 */
export async function startPostgresServer(
  binaries?: string,
  { primary, settings: more }: ServerOptions = {},
): Promise<PostgresServer> {
  const user = serverUser();
  const bin = binaries ?? (await embeddedBinaries(user));
  // A new database is a copy of hundreds of files, for which a disk takes a quarter of a second.
  const folder = makeTemporaryFolder('evw-postgres-');
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  mkdirSync(data);
  for (const path of [data, passwordFile, folder]) if (user.uid) chownSync(path, user.uid, user.gid!);
  // Other users must not reach the socket, and the server refuses a folder that they can read.
  for (const path of [folder, data]) chmodSync(path, 0o700);
  const options = ['-D', data, '-U', 'tests', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  // Each connection proves that it knows the password, which takes milliseconds by default. PostgreSQL 15 has no choice.
  const cheaply = binaries ? [] : ['--set', 'scram_iterations=1'];
  const initdb = ['-N', '-E', 'UTF8', '--locale=C', ...cheaply, ...options];
  const copy = ['-D', data, '-d', `${primary?.url()}`, '--write-recovery-conf', '--checkpoint=fast'];
  const [program, args] = primary ? ['pg_basebackup', copy] : ['initdb', initdb];
  execFileSync(join(bin, program), args, { ...user, cwd: folder, stdio: 'pipe' });

  let server: ChildProcess | undefined;
  const url = (database = 'postgres') =>
    `postgres://tests:${PASSWORD}@/${database}?host=${encodeURIComponent(folder)}`;
  const signalAll = (signal: NodeJS.Signals) => {
    // The server is the leader of a process group. Its backends lead sessions of their own.
    for (const pid of [server!.pid!, ...childrenOf(server!.pid!)]) process.kill(pid, signal);
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.stdin?.write('dismissed\n');
    process.kill(server.pid!, signal);
    await ended;
  };
  const start = async () => {
    const log = openSync(join(folder, 'log'), 'a');
    const settings = { ...SETTINGS, unix_socket_directories: folder, ...more };
    const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const command = [join(bin, 'postgres'), '-D', data, ...given];
    server = spawn('/bin/sh', ['-c', LAUNCH, 'sh', ...command], {
      ...user,
      cwd: folder,
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', FOLDER: folder, LC_ALL: 'C' },
      stdio: ['pipe', log, log],
      detached: true,
    });
    await answered(url(), server, join(folder, 'log'));
  };
  await start();
  return {
    url,
    start,
    kill: () => end('SIGQUIT'),
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async remove() {
      await end('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The data of a test need not survive a crash of the machine, so the server does not wait for the disk. */
const SETTINGS = {
  listen_addresses: '',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: 100,
  shared_buffers: '32MB',
  dynamic_shared_memory_type: 'mmap',
  restart_after_crash: 'on',
};

/** PostgreSQL refuses to run as root. */
export function serverUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Those of the package, or a copy if the server's user cannot enter the folder of the project. */
async function embeddedBinaries({ uid, gid }: { uid?: number; gid?: number }): Promise<string> {
  const user = uid === undefined ? undefined : { uid, gid: gid!, mapped: false };
  return dirname((await findBinaries(user, [tmpdir()])).postgres);
}

const POLL_MS = 20;

/** Waits for the server to answer a query. */
async function answered(url: string, server: ChildProcess, log: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      return;
    } catch (error) {
      if (server.exitCode === null && server.signalCode === null) {
        // A starting server sends no event to a client, so this asks again until it answers or ends.
        await pause(POLL_MS);
        continue;
      }
      throw new Error(`The test server ended: ${readFileSync(log, 'utf8').slice(-2000)}`, { cause: error });
    } finally {
      await client.end().catch(() => {});
    }
  }
}

export function childrenOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([child]) => child!);
}
