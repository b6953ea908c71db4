import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sendInOnePiece } from '../../../src/service/http/one-piece.ts';
import { converse } from '../raw.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { startStoredService, storeKey } from '../support/stored-service.ts';

afterEach(() => void vi.restoreAllMocks());

/** @returns what arrives, and how many pieces were handed over separately */
async function send(write: (socket: Socket) => void): Promise<{ arrived: string; separately: number }> {
  const server = createServer((socket) => {
    sendInOnePiece(socket);
    socket.cork();
    write(socket);
    socket.uncork();
    socket.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const several = vi.spyOn(Socket.prototype, '_writev' as never) as unknown as {
    mock: { calls: [unknown[]][] };
  };
  const arrived = await text(connect((server.address() as AddressInfo).port, '127.0.0.1'));
  return { arrived, separately: several.mock.calls[0]?.[0].length ?? 0 };
}

describe('what was written while a socket was corked', () => {
  it('goes out in one piece if all but one write is empty', async () => {
    const sent = await send((socket) => {
      socket.write('héad and body');
      socket.write('', 'latin1');
    });
    expect(sent).toEqual({ arrived: 'héad and body', separately: 0 });
  });

  it('goes out in order if it is text and bytes', async () => {
    const sent = await send((socket) => {
      socket.write('head ');
      socket.write(Buffer.from('body'));
    });
    expect(sent).toEqual({ arrived: 'head body', separately: 2 });
  });
});

it('sends each response in one piece', async () => {
  const { db } = await testDatabase(onTestFinished);
  const { app } = await startStoredService(db);
  const { key } = await storeKey(db, await makeAccount(db), { mode: 'test' });
  const payload = { emails: 'a@b.example' };
  const made = await app.inject({ method: 'POST', url: `/v1/batch?api_key=${key}`, payload });
  const sockets = new Set<unknown>();
  app.server.on('connection', (socket) => sockets.add(socket));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const several = vi.spyOn(Socket.prototype, '_writev' as never) as unknown as {
    mock: { contexts: unknown[] };
  };
  for (const path of ['verify?email=jane@company.example', 'account?', `batch?id=${made.json().id}`]) {
    const request = `GET /v1/${path}&api_key=${key} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const [answer] = await converse(port, [request]).closed;
    expect([path, answer?.status]).toEqual([path, 200]);
  }
  expect(sockets.size).toBe(3);
  // The database has sockets, too.
  expect(several.mock.contexts.filter((socket) => sockets.has(socket))).toHaveLength(0);
});
