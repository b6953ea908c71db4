/** Answers what is not HTTP enough to become a request: the same JSON shape, written to the bare socket. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { Failure, failureOfStatus } from '../failures.ts';

const STATUS_OF_CODE: Partial<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The `clientError` listener. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  // A client that has gone reads nothing; one that is being answered must not get a second answer into the first.
  const isAnswering = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage?.headersSent;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const { status, message } = failureOfStatus(STATUS_OF_CODE[error.code ?? ''] ?? 400);
  const body = JSON.stringify({ message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Vary: Origin',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Node itself answers an `Expect` it does not know with an empty 417. */
export function answerExpectations(server: Server): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { status, message } = failureOfStatus(417);
    response.writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
    });
    response.end(JSON.stringify({ message }));
  });
}

/** RFC 9112, section 3.2: from HTTP 1.1 on a request names its host. */
export function refuseHostless({ raw }: FastifyRequest): void {
  if (raw.httpVersion !== '1.0' && raw.headers.host === undefined) {
    throw new Failure('badRequest', 'Expected a Host header.');
  }
}
