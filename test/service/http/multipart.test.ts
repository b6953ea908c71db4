/** Multipart bodies do not occupy the process, however much a connection brings at once. */
import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { expect, it, vi } from 'vitest';
import { readParts } from '../../../src/service/http/multipart.ts';

const TYPE = 'multipart/form-data; boundary=edge';
/** What a connection brings in one piece. */
const PIECE = 64 * 1024;
const AT_ONCE = 5;

/** A request whose whole body is there already. */
function requestWith(text: string): FastifyRequest {
  const body = Buffer.from(
    `--edge\r\nContent-Disposition: form-data; name="emails"\r\n\r\n${text}\r\n--edge--\r\n`,
  );
  let at = 0;
  const raw = new Readable({
    read() {
      this.push(at < body.length ? body.subarray(at, at + PIECE) : null);
      at += PIECE;
    },
  });
  return { raw: Object.assign(raw, { headers: { 'content-type': TYPE } }) } as unknown as FastifyRequest;
}

async function lengthOf(request: FastifyRequest): Promise<number> {
  let length = 0;
  for await (const { bytes } of readParts(request, { parts: 1 }))
    for await (const chunk of bytes) length += chunk.length;
  return length;
}

it('are read by one piece in a turn of the event loop, although megabytes of several bodies are there', async () => {
  let [most, isRunning] = [0, true];
  const write = vi.spyOn(Busboy.prototype, 'write');
  const endTurn = () => {
    most = Math.max(
      most,
      (write.mock.calls as [Buffer][]).reduce((bytes, [chunk]) => bytes + chunk.length, 0),
    );
    write.mockClear();
    if (isRunning) setImmediate(endTurn);
  };
  setImmediate(endTurn);
  const text = '[{"a":'.repeat((4 * 1024 * 1024) / 6);
  try {
    const read = await Promise.all(Array.from({ length: AT_ONCE }, () => lengthOf(requestWith(text))));
    expect(read).toEqual(Array.from({ length: AT_ONCE }, () => text.length));
  } finally {
    isRunning = false;
    endTurn();
    write.mockRestore();
  }
  // All of them begin in one turn.
  expect(most).toBeLessThanOrEqual(AT_ONCE * PIECE);
});
