/** SIGKILL for Node, for the server, and for everything, while clients commit. No acknowledged row is lost. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startEmbedded } from '../../../../src/service/database/embedded/start-embedded.ts';
import {
  crashedFolder,
  emptyRoom,
  freePath,
  isAlive,
  killAll,
  postmasterOf,
  preparedFolder,
  processesOf,
  query,
  ROUNDS,
  type Running,
  run,
  runUntilReady,
  startHere,
  untilDead,
} from './running.ts';

afterAll(emptyRoom);

const COMMITS = 200;

type Victims = 'Node' | 'the server' | 'everything';

async function kill(victims: Victims, { child, until }: Running, folder: string) {
  const all = processesOf(folder);
  if (victims !== 'the server') child.kill('SIGKILL');
  if (victims === 'the server') process.kill(postmasterOf(folder), 'SIGKILL');
  if (victims === 'everything') killAll(all);
  if (victims !== 'the server') return;
  const before = child.pid;
  await until('warn');
  expect(child.pid).toBe(before);
}

describe.each<Victims>(['Node', 'the server', 'everything'])('a SIGKILL of %s', (victims) => {
  it('loses no acknowledged row', { timeout: 600_000 + ROUNDS * 10_000 }, async () => {
    const folder = await preparedFolder();
    const acknowledged = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const running = await runUntilReady('write', folder);
      await running.until('acknowledged', COMMITS);
      await kill(victims, running, folder);
      if (victims === 'the server') {
        const soFar = running.said.filter(([word]) => word === 'acknowledged').length;
        await running.until('acknowledged', soFar + COMMITS);
        running.child.kill('SIGTERM');
      }
      await running.ended;
      for (const [word, number] of running.said)
        if (word === 'acknowledged') acknowledged.add(String(number));
      const server = await startEmbedded(folder);
      try {
        const rows = await query(server.connection, 'select number from acknowledged');
        const kept = new Set(rows.map(({ number }) => number));
        expect([...acknowledged].filter((number) => !kept.has(number))).toEqual([]);
      } finally {
        await server.stop();
      }
    }
    expect(acknowledged.size).toBeGreaterThan(ROUNDS * COMMITS - 1);
  });
});

it('starts after a SIGKILL of Node while the database is made', async () => {
  const folder = freePath();
  const { child, ended } = await run('start', folder);
  await vi.waitUntil(() => existsSync(join(folder, 'pg.init', 'PG_VERSION')), { interval: 1 });
  child.kill('SIGKILL');
  await ended;
  expect(existsSync(join(folder, 'pg'))).toBe(false);
  const { connection } = await startHere(folder);
  expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
});

it('leaves no server behind when Node is killed', async () => {
  const folder = await preparedFolder();
  const { child } = await runUntilReady('start', folder);
  const all = processesOf(folder);
  expect(all.length).toBeGreaterThan(3);
  child.kill('SIGKILL');
  await untilDead(all);
});

it('keeps the server when Node gets the signals of a terminal', async () => {
  const folder = await preparedFolder();
  await startHere(folder);
  const server = postmasterOf(folder);
  const group = spawnSync('ps', ['-o', 'pgid=', '-p', `${server},${process.pid}`], { encoding: 'utf8' });
  expect(new Set(group.stdout.trim().split(/\s+/)).size).toBe(2);
});

it('does not start again after it was stopped during a restart', async () => {
  const folder = await preparedFolder();
  const log = vi.fn();
  const { stop } = await startEmbedded(folder, { log });
  // As root, it has warned that the database shares its user.
  log.mockClear();
  const all = processesOf(folder);
  process.kill(postmasterOf(folder), 'SIGKILL');
  await vi.waitUntil(() => log.mock.calls.length > 0, { interval: 5 });
  await stop();
  await untilDead(all);
  const events = log.mock.calls.map(([level, event]) => [level, event]);
  expect(events).toEqual([['error', 'embedded database ended']]);
  // The folder is free at once.
  const next = await startEmbedded(folder, { waitMs: 1 });
  await next.stop();
});

/** Writes into the pid files of a crashed server that its process id is now this one. */
function pretend(folder: string, pid: number): void {
  const path = join(folder, 'pg', 'postmaster.pid');
  const [, ...rest] = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, [pid, ...rest].join('\n'));
  const { uid, gid } = statSync(join(folder, 'pg'));
  const lock = join(folder, 'run', '.s.PGSQL.5432.lock');
  writeFileSync(lock, `${pid}\n`);
  chownSync(lock, uid, gid);
}

/** PostgreSQL looks only at processes of its own user. */
function asOwner(folder: string) {
  const { uid, gid } = statSync(join(folder, 'pg'));
  return process.geteuid?.() === 0 ? { uid, gid } : {};
}

it('starts when another process has got the process id of the dead server', async () => {
  const folder = await crashedFolder();
  const other = spawn('sleep', ['60'], asOwner(folder));
  onTestFinished(() => void other.kill('SIGKILL'));
  await once(other, 'spawn');
  pretend(folder, other.pid ?? 0);
  await startHere(folder);
  expect(isAlive(other.pid ?? 0)).toBe(true);
});

it('starts when the dead server is still a zombie', async () => {
  const folder = await crashedFolder();
  // The shell becomes a program that never asks how its child ended. Only then the child may end.
  const script = 'exec 3<&0; sh -c "read line" <&3 & echo $!; exec sleep 60';
  const parent = spawn('sh', ['-c', script], { ...asOwner(folder), stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [text] = (await once(parent.stdout, 'data')) as [Buffer];
  const zombie = Number(text);
  const patience = { interval: 5 };
  await vi.waitUntil(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n', patience);
  parent.stdin.end();
  await vi.waitUntil(() => /^State:\s+Z/m.test(readFileSync(`/proc/${zombie}/status`, 'utf8')), patience);
  pretend(folder, zombie);
  await startHere(folder);
});
