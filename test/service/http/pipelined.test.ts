import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { MAX_PIPELINED } from '../../../src/service/core/bounds.ts';
import { converse, listenService } from '../raw.ts';

const REQUEST =
  'GET /v1/verify?api_key=test_private&email=jane@company.example HTTP/1.1\r\nHost: a.example\r\n\r\n';
const MANY = 2_000;

it('answers as many requests as a client may send without waiting, in their order, again and again', async () => {
  const { port } = await listenService();
  const pieces = Array.from({ length: 3 }, () => REQUEST.repeat(MAX_PIPELINED));
  const { socket, closed } = converse(port, [pieces[0]!], pieces.length * MAX_PIPELINED);
  let answers = 0;
  socket.on('data', (text) => {
    const before = Math.floor(answers / MAX_PIPELINED);
    answers += String(text).split('HTTP/1.1 200').length - 1;
    const after = Math.floor(answers / MAX_PIPELINED);
    if (after > before && after < pieces.length) socket.write(pieces[after]!);
  });
  expect((await closed).map(({ status }) => status)).toEqual(Array(3 * MAX_PIPELINED).fill(200));
});

it('runs few of the thousands of requests that a client sends without waiting, and closes the connection', async () => {
  const { port, logged } = await listenService();
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  socket.write(REQUEST.repeat(MANY));
  socket.resume();
  // A reset would reject `once()`.
  await new Promise((resolve) => socket.once('close', resolve));
  // One more request on another connection: by then, the first ones have been logged.
  await converse(port, [REQUEST]).closed;
  expect(logged.filter((line) => line.includes('"request"')).length).toBeLessThanOrEqual(MAX_PIPELINED + 1);
});
