/** Uploads over a real connection: cut off, refused before their end, and while others are read. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import type { Timeouts } from '../../../../src/service/core/bounds.ts';
import { MOST_DRAFT_BYTES } from '../../../../src/service/lists/list-store.ts';
import { testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { arrive } from '../../support/visitor.ts';
import { csv, NEW, signedIn, upload } from './world.ts';

const { db } = await testDatabase();

const LIST = csv('Email', 'ada@example.com');

/** A person whose uploads a test sends by hand. */
async function begin(timeouts?: Partial<Timeouts>) {
  const service = await startStoredService(db, { timeouts });
  const { visitor, person } = await arrive(service, db);
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = service.app.server.address() as { port: number };
  const token = (await visitor.open(NEW)).formOf('Upload').sent.form_token!;
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const head = (length: number) =>
    `POST /dashboard/lists HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${length}\r\n\r\n`;
  const body = (formToken: string, content: string) =>
    `--x\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n${formToken}\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${content}`;
  const socket = connect(port, '127.0.0.1');
  const said: string[] = [];
  socket.on('data', (bytes) => said.push(String(bytes)));
  socket.on('error', () => {});
  const ended = once(socket, 'end');
  await once(socket, 'connect');
  return { service, visitor, person, socket, token, head, body, said, ended };
}

const listsOf = (accountId: string) =>
  db.selectFrom('lists').select('id').where('account_id', '=', accountId).execute();

/** Sends the beginning of a file of this person's. */
async function drip({ service, visitor, head, body, token }: Awaited<ReturnType<typeof begin>>) {
  const { port } = service.app.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  // The system does not hold so much for a connection, so the service takes it.
  const rows = 'ada@example.com\r\n'.repeat(1_200_000);
  await new Promise((resolve) => socket.write(head(40_000_000) + body(token, rows), resolve));
  await visitor.open(NEW);
  return socket;
}

it('leaves nothing behind of uploads that are cut off, and reads the next one', async () => {
  const slow = await begin();
  const { visitor, person } = slow;
  const sockets = [await drip(slow), await drip(slow)];
  await visitor.upload('Upload', LIST);
  expect(visitor.status).toBe(503);
  expect(visitor.text).toContain('The server is busy with other lists, so your list was not stored.');
  expect(visitor.response.headers['retry-after']).toBe('5');
  const { action, sent } = visitor.formOf('Use these addresses');
  await visitor.postParts(action, Object.entries({ ...sent, pasted: 'ada@example.com' }));
  expect([visitor.status, visitor.valueOf('Addresses')?.trim()]).toEqual([503, 'ada@example.com']);
  await visitor.postParts(action, Object.entries({ ...sent, pasted: 'ada@example.com '.repeat(5_000) }));
  expect([visitor.status, visitor.valueOf('Addresses')?.trim()]).toEqual([503, '']);
  for (const socket of sockets) socket.destroy();
  const other = await signedIn(slow.service, person);
  await vi.waitFor(async () => {
    await other.open(NEW);
    expect((await other.upload('Upload', LIST)).status).toBe(303);
  });
  expect(await listsOf(person.id)).toHaveLength(1);
  slow.socket.destroy();
});

it('reads the lists of others while files of slow people arrive', async () => {
  const slow = await begin();
  const sockets = [await drip(slow), await drip(slow)];
  await upload((await arrive(slow.service, db)).visitor, LIST);
  for (const socket of [slow.socket, ...sockets]) socket.destroy();
});

it('refuses a list whose room another one has taken while it arrived', async () => {
  const { socket, token, head, body, said, ended, visitor, person } = await begin();
  const form = body(token, `${LIST.bytes}\r\n--x--\r\n`);
  socket.write(head(form.length) + form.slice(0, -10));
  const id = await upload(visitor, LIST);
  await db.updateTable('lists').set({ bytes: MOST_DRAFT_BYTES }).where('id', '=', id).execute();
  socket.end(form.slice(-10));
  await ended;
  expect(said.join('')).toMatch(/^HTTP\/1\.1 422.*160 MiB of lists are waiting to be started/s);
  expect(await listsOf(person.id)).toEqual([{ id }]);
});

it('gives the file of a slow line more time than other requests', async () => {
  const { socket, token, head, body, said, ended, service } = await begin({ request: 1_500, upload: 60_000 });
  const form = body(token, `${LIST.bytes}\r\n--x--\r\n`);
  socket.write(head(form.length) + form.slice(0, -10));
  await once(service.app.server, 'request');
  const { port } = service.app.server.address() as { port: number };
  const other = connect(port, '127.0.0.1', () => {
    other.write(
      'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\n\r\n',
    );
  });
  const [refusal] = await once(other, 'data');
  expect(String(refusal)).toContain('408 Request Timeout');
  other.destroy();
  socket.end(form.slice(-10));
  await ended;
  expect(said.join('')).toContain('303 See Other');
});

it('ends an upload that takes longer than five minutes, or as long as a test waits', async () => {
  const { socket, token, head, body, said, ended, person } = await begin({ request: 200, upload: 400 });
  socket.write(head(1_000) + body(token, String(LIST.bytes)));
  await ended;
  expect(said.join('')).toContain('408 Request Timeout');
  socket.destroy();
  expect(await listsOf(person.id)).toEqual([]);
});

it('answers a form that is not the own one before its file has come, and closes the connection', async () => {
  const { person, socket, head, body, said, ended } = await begin();
  socket.write(head(40_000_000) + body('x', 'ada@example.com'));
  await vi.waitFor(() => expect(said.join('')).toContain('403 Forbidden'));
  await ended;
  expect(said.join('').toLowerCase()).toContain('connection: close');
  socket.destroy();
  expect(await listsOf(person.id)).toEqual([]);
});

it('answers a file that says that it is too large before it has come', async () => {
  const { socket, token, head, body, said, ended } = await begin();
  socket.write(head(115_000_000) + body(token, 'ada@example.com'));
  await vi.waitFor(() => expect(said.join('')).toContain('at most 100 MiB'));
  await ended;
  socket.destroy();
});

it('reads files of several people one after the other', async () => {
  const service = await startStoredService(db);
  for (let person = 0; person < 4; person += 1) await upload((await arrive(service, db)).visitor, LIST);
});
