/** Several processes on the folder of one embedded database. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DatabaseError } from '../../../../src/service/database/database-error.ts';
import {
  joinOrStartEmbedded,
  startEmbedded,
} from '../../../../src/service/database/embedded/start-embedded.ts';
import {
  crashedFolder,
  emptyRoom,
  freePath,
  isAlive,
  postmasterOf,
  preparedFolder,
  query,
  run,
  startHere,
} from './running.ts';

afterAll(emptyRoom);

describe('a second service', () => {
  it('is refused, and does the first no harm', async () => {
    const folder = await preparedFolder();
    const { connection } = await startHere(folder);
    const log = vi.fn();
    const second = startEmbedded(folder, { waitMs: 100, log });
    await expect(second).rejects.toThrow(DatabaseError);
    const holder = `a service (process ${process.pid} on ${hostname()})`;
    // Once, at the first try, and not only when the wait is over.
    expect(log.mock.calls).toEqual([['warn', 'waiting for the database', { folder, holder, seconds: 0.1 }]]);
    await expect(second).rejects.toThrow(
      `Expected the database in ${folder} to be free, got one in use by ${holder}. ` +
        'Stop that process, or set DATABASE_URL to the postgres:// URL of a PostgreSQL server.',
    );
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('says that it waits before it waits', async () => {
    const folder = await preparedFolder();
    const first = await startHere(folder);
    const said = await new Promise((resolve) => {
      const second = startEmbedded(folder, { log: (...line) => resolve(line) });
      onTestFinished(async () => (await second).stop());
    });
    // The first service still runs, so the second one has not got the folder yet.
    expect(said).toMatchObject(['warn', 'waiting for the database', { seconds: 10 }]);
    await first.stop();
  });

  it('names no process where an older version has recorded none', async () => {
    const folder = await preparedFolder();
    await startHere(folder);
    const state = join(folder, 'state.json');
    const { holder: _, ...older } = JSON.parse(readFileSync(state, 'utf8'));
    writeFileSync(state, JSON.stringify(older));
    const inUse = 'got one in use by another process.';
    await expect(startEmbedded(folder, { waitMs: 100 })).rejects.toThrow(inUse);
  });

  it('is refused where it cannot see the process of the first, as in another container', async () => {
    const folder = await preparedFolder();
    const { connection } = await startHere(folder);
    rmSync(join(folder, 'pg', 'postmaster.pid'));
    rmSync(join(connection.host, '.s.PGSQL.5432.lock'));
    await expect(startEmbedded(folder, { waitMs: 100 })).rejects.toThrow('to be free');
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('waits for the first while that one stops', async () => {
    const folder = await preparedFolder();
    const first = await startHere(folder);
    const second = startEmbedded(folder);
    await first.stop();
    const { connection, stop } = await second;
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await stop();
  });
});

describe('a visitor', () => {
  it('joins the server of a service, and leaves it running', async () => {
    const folder = await preparedFolder();
    const service = await startHere(folder);
    const visitor = await joinOrStartEmbedded(folder);
    expect(visitor.connection).toEqual(service.connection);
    expect(visitor.version).toBe(service.version);
    await visitor.stop();
    expect(await query(service.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('starts the server of a stopped service, and stops it again', async () => {
    const folder = await preparedFolder();
    const visitor = await joinOrStartEmbedded(folder);
    const server = postmasterOf(folder);
    expect(await query(visitor.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await visitor.stop();
    expect(isAlive(server)).toBe(false);
  });

  it('starts the server after a crash, whose record it does not believe', async () => {
    const visitor = await joinOrStartEmbedded(await crashedFolder());
    expect(await query(visitor.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await visitor.stop();
  });

  it('sends no password to a server that somebody else runs where the socket was', async () => {
    const folder = await preparedFolder();
    const others = freePath();
    mkdirSync(others);
    chmodSync(others, 0o777);
    const fake = createServer();
    const met = vi.fn();
    fake.on('connection', (socket) => {
      met();
      socket.destroy();
    });
    await new Promise<void>((resolve) => fake.listen(join(others, '.s.PGSQL.5432'), resolve));
    onTestFinished(() => void fake.close());
    // As a service leaves it whose machine has stopped.
    const state = { stay: 'service', version: '18.4', socketFolder: others };
    writeFileSync(join(folder, 'state.json'), JSON.stringify(state));
    const visitor = await joinOrStartEmbedded(folder);
    expect(await query(visitor.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await visitor.stop();
    expect(met).not.toHaveBeenCalled();
  });

  it('waits for another visitor, whose server ends with the visit', async () => {
    const folder = await preparedFolder();
    const order: string[] = [];
    const visit = async () => {
      const { connection, stop } = await joinOrStartEmbedded(folder);
      order.push('comes');
      await query(connection, 'select 1');
      order.push('goes');
      await stop();
    };
    await Promise.all([visit(), visit(), visit()]);
    expect(order).toEqual(['comes', 'goes', 'comes', 'goes', 'comes', 'goes']);
  });

  it('makes a missing folder, even together with another', async () => {
    const folder = freePath();
    const visitors = await Promise.all([run('visit', folder), run('visit', folder)]);
    expect(await Promise.all(visitors.map(({ ended }) => ended))).toEqual([0, 0]);
  });

  it('gives up when another visit lasts too long', async () => {
    const folder = await preparedFolder();
    const visitor = await joinOrStartEmbedded(folder);
    onTestFinished(() => visitor.stop());
    await expect(joinOrStartEmbedded(folder, { waitMs: 100 })).rejects.toThrow(DatabaseError);
  });
});
