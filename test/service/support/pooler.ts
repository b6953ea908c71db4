/** Poolers in front of a test server: a small one that is always there, and PgBouncer where it is installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { BLOCKS } from '../../docs/blocks.ts';
import { listenOnLoopback } from '../../loopback.ts';
import { serverUser } from './postgres-server.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export type PoolMode = 'session' | 'transaction' | 'statement';

/** What PgBouncer takes from a client that connects. It refuses everything else. */
const TAKEN = ['user', 'database', 'client_encoding', 'application_name', 'datestyle', 'timezone'];

/**
 * A pooler that speaks as much of the protocol as a client without a password needs. A session of the server belongs to
 * a client until it leaves, or until it is idle, and idle sessions are used again, the latest first.
 *
 * @returns the URL of the database behind it
 */
export async function startPooler(url: string, mode: PoolMode): Promise<string> {
  const idle: pg.Client[] = [];
  const all: pg.Client[] = [];
  const take = async (): Promise<pg.Client> => {
    const free = idle.pop();
    if (free) return free;
    const fresh = new pg.Client({ connectionString: url });
    fresh.on('error', () => {});
    await fresh.connect();
    all.push(fresh);
    return fresh;
  };
  const server = createServer((client) => {
    let session: Promise<pg.Client> | undefined;
    const release = () => {
      const left = session;
      session = undefined;
      void left?.then((free) => {
        streamOf(free).removeAllListeners('data');
        idle.push(free);
      });
    };
    client.on('close', release);
    client.once('data', (startup) => {
      const words = startup.subarray(8).toString().split('\0');
      const refused = words.find(
        (word, place) => place % 2 === 0 && word && !TAKEN.includes(word.toLowerCase()),
      );
      if (refused !== undefined) {
        const fields = ['SFATAL', 'C08P01', `Munsupported startup parameter: ${refused}`, ''];
        client.end(frame('E', Buffer.from(`${fields.join('\0')}\0`)));
        return;
      }
      client.write(Buffer.concat([frame('R', Buffer.alloc(4)), READY]));
      client.on('data', (bytes) => {
        // The client leaves, and its session stays.
        if (bytes[0] === LEAVES) return;
        session ??= take().then((taken) => {
          let rest = Buffer.alloc(0);
          streamOf(taken).removeAllListeners('data');
          streamOf(taken).on('data', (answer: Buffer) => {
            client.write(answer);
            rest = Buffer.concat([rest, answer]);
            let isIdle = false;
            while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
              const length = rest.readUInt32BE(1) + 1;
              isIdle = rest[0] === READY[0] && rest[5] === IDLE;
              rest = rest.subarray(length);
            }
            if (isIdle && mode !== 'session') release();
          });
          return taken;
        });
        void session.then((taken) => streamOf(taken).write(bytes));
      });
    });
  });
  onTestFinished(() => {
    for (const session of all) streamOf(session).destroy();
  });
  const port = await listenOnLoopback(server);
  return `postgres://tests@127.0.0.1:${port}/${new URL(url.replace('@/', '@host/')).pathname.slice(1)}`;
}

/** `connection` is not in the types of `pg`. */
const streamOf = (client: pg.Client) =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

function frame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const LEAVES = 'X'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);
const READY = frame('Z', Buffer.from('I'));

const PGBOUNCER = '/usr/sbin/pgbouncer';
export const hasPgBouncer = existsSync(PGBOUNCER);

/** The configuration of docs/operations.md, in front of a test server. @returns the URL of the database behind it */
export async function startPgBouncer(url: string, mode: PoolMode): Promise<string> {
  const folder = makeTemporaryFolder('evw-pgbouncer-');
  const { pathname, searchParams, username, password } = new URL(url.replace('@/', '@host/'));
  const port = 20_000 + (process.pid % 10_000);
  const database = pathname.slice(1);
  const own: Readonly<Record<string, string>> = {
    verify: `host=${searchParams.get('host')} dbname=${database} user=${username} password=${password}`,
    ...{ listen_addr: '', listen_port: `${port}`, auth_type: 'any', pool_mode: mode },
  };
  const { code } = BLOCKS.find(({ file, language }) => file === 'docs/operations.md' && language === 'ini')!;
  const lines = code
    .split('\n')
    .filter((line) => !line.startsWith('auth_file'))
    .map((line) =>
      line.replace(/^(\w+) = .*$/, (whole, name) => (name in own ? `${name} = ${own[name]}` : whole)),
    )
    .map((line) => line.replace(/^verify /, `${database} `));
  lines.push(`unix_socket_dir = ${folder}`);
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(config, lines.join('\n'));
  // Like PostgreSQL, it refuses to run as root.
  const user = serverUser();
  if (user.uid) for (const path of [folder, config]) chownSync(path, user.uid, user.gid!);
  chmodSync(folder, 0o700);
  const child = spawn(PGBOUNCER, ['--quiet', config], { ...user, cwd: folder, stdio: 'ignore' });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  while (!existsSync(join(folder, `.s.PGSQL.${port}`)) && child.exitCode === null) await pause(20);
  return `postgres://${username}@/${database}?host=${encodeURIComponent(folder)}&port=${port}`;
}
