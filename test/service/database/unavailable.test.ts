import { createServer } from 'node:net';
import pg from 'pg';
import { expect, it } from 'vitest';
import {
  DatabaseAwayError,
  isUnavailable,
  saysFull,
  troubleOf,
} from '../../../src/service/database/unavailable.ts';
import { listenOnLoopback } from '../../loopback.ts';
import { failureOf } from '../../message-of.ts';

function failWith(properties: Record<string, unknown>, message = 'x'): Error {
  return Object.assign(new Error(message), properties);
}

it.each([
  ['57P01', 'an operator ends the connection'],
  ['57P02', 'the server crashes'],
  ['57P03', 'the server starts'],
  ['57P05', 'an idle connection is ended'],
  ['57014', 'a statement takes too long'],
  ['08006', 'the connection fails'],
  ['08P01', 'the protocol is violated'],
  ['53300', 'there are too many connections'],
  ['53100', 'the disk is full'],
  ['53200', 'the memory is used up'],
  ['55000', 'the database takes no connections'],
  ['55P03', 'a lock does not become free'],
  ['25006', 'the server is a standby'],
  ['25P03', 'the process was frozen in a transaction'],
  ['25P04', 'a transaction takes too long'],
  ['28P01', 'the password was changed'],
  ['3D000', 'the database was dropped'],
  ['58030', 'the disk fails'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'].map((code) => [code, 'the connection fails']),
  ...['EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'].map((code) => [code, 'the server is not found']),
])('calls the database away for %s: %s', (code) => {
  expect(isUnavailable(failWith({ code }))).toBe(true);
});

it.each([
  ['23505', 'a unique violation'],
  ['23514', 'a failed check'],
  ['42P01', 'an unknown table'],
  ['42601', 'wrong SQL'],
  ['40P01', 'a deadlock'],
  ['22003', 'a number out of range'],
  ['ENOENT', 'a missing file'],
  ['ERR_INVALID_ARG_TYPE', 'a wrong argument'],
])('calls %s a bug: %s', (code) => {
  expect(isUnavailable(failWith({ code }))).toBe(false);
});

it.each([new Error('x'), new TypeError('x'), undefined, null, 'ECONNREFUSED', { code: '57P01' }])(
  'calls any other failure a bug: %s',
  (error) => {
    expect(isUnavailable(error)).toBe(false);
  },
);

it.each([
  ['53100', 'full'],
  ['ENOSPC', 'full'],
  ['57014', 'limit'],
  ['55P03', 'limit'],
  ['25P03', 'limit'],
  ['25P04', 'limit'],
  ['57P01', 'away'],
  ['53300', 'away'],
  ['ECONNREFUSED', 'away'],
])('calls the trouble of %s "%s"', (code, trouble) => {
  expect(troubleOf(failWith({ code }))).toBe(trouble);
});

it('calls the trouble of a full pool "limit"', async () => {
  const port = await listenOnLoopback(createServer(() => {}));
  const pool = new pg.Pool({ host: '127.0.0.1', port, connectionTimeoutMillis: 100, max: 1 });
  const [silent, full] = await Promise.all([pool.query('select 1'), pool.query('select 2')].map(failureOf));
  expect([silent, full].map(troubleOf)).toEqual(['away', 'limit']);
  await pool.end();
});

it('knows a full disk from the last words of a server', () => {
  expect(saysFull('could not write to file "pg_wal/xlogtemp.7": No space left on device')).toBe(true);
  expect(saysFull('the database system is shutting down')).toBe(false);
  expect(saysFull(undefined)).toBe(false);
});

it('knows its own error', () => {
  expect(isUnavailable(new DatabaseAwayError('x'))).toBe(true);
});

it('knows the error of a missing socket file', async () => {
  const error = await failedConnect(new pg.Client({ host: '/nowhere' }));
  expect(error).toMatchObject({ code: 'ENOENT' });
  expect(isUnavailable(error)).toBe(true);
});

it('knows the error of several addresses that refuse', async () => {
  // Port 1 is closed on both addresses of localhost.
  expect(isUnavailable(await failedConnect(new pg.Client({ host: 'localhost', port: 1 })))).toBe(true);
});

it.each([
  ['says nothing', () => {}],
  ['hangs up', (socket: { destroy(): void }) => socket.destroy()],
])('knows the error of a server that %s', async (_what, answer) => {
  const port = await listenOnLoopback(createServer(answer));
  const options = { host: '127.0.0.1', port, connectionTimeoutMillis: 100 };
  expect(isUnavailable(await failedConnect(new pg.Client(options)))).toBe(true);
  const pool = new pg.Pool({ ...options, max: 1 });
  const errors = await Promise.all([pool.query('select 1'), pool.query('select 2')].map(failureOf));
  expect(errors.map(isUnavailable)).toEqual([true, true]);
  await pool.end();
  expect(isUnavailable(await failureOf(pool.query('select 3')))).toBe(true);
});

function failedConnect(client: pg.Client): Promise<unknown> {
  client.on('error', () => {});
  return failureOf(client.connect());
}
