/** Answers input that is not valid HTTP, in the same JSON format, on the bare socket. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { MAX_HEADERS } from '../core/bounds.ts';
import { Failure, failureOfStatus } from '../core/failures.ts';
import type { Log } from '../core/log.ts';
import { closeGently, closeGentlyAfter, isClosing } from './gentle-close.ts';
import { DATA_HEADERS } from './security-headers.ts';

const BAD_FRAMING =
  'Expected the length of the body exactly once: in one Content-Length, or as Transfer-Encoding: chunked.';

/** The parser's error code → the advice for the client. */
const FAILURES: Partial<Record<string, Failure>> = {
  HPE_HEADER_OVERFLOW: new Failure('headersTooLarge'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new Failure('bodyTooLarge'),
  ERR_HTTP_REQUEST_TIMEOUT: new Failure('requestTimeout'),
  HPE_INVALID_METHOD: bad('Expected the request to begin with a method such as GET or POST.'),
  HPE_INVALID_URL: bad('Expected a URL that begins with / and is percent-encoded.'),
  HPE_INVALID_VERSION: bad('Expected HTTP/1.1 at the end of the first line.'),
  HPE_INVALID_CONSTANT: bad('Expected HTTP/1.1 at the end of the first line.'),
  HPE_INVALID_HEADER_TOKEN: bad(
    'Expected headers of the form "Name: value", without control characters, each on one line.',
  ),
  HPE_INVALID_CONTENT_LENGTH: bad(BAD_FRAMING),
  HPE_UNEXPECTED_CONTENT_LENGTH: bad(BAD_FRAMING),
  HPE_INVALID_TRANSFER_ENCODING: bad(BAD_FRAMING),
  HPE_INVALID_CHUNK_SIZE: bad('Expected chunks that begin with their size in hexadecimal digits.'),
  HPE_INVALID_EOF_STATE: bad(
    'Expected the whole request, but the connection was closed in the middle of it.',
  ),
};

function bad(message: string): Failure {
  return new Failure('badRequest', message);
}

/** @returns the `clientError` listener */
export function answerUnreadable(lingerMs: number, log: Log) {
  return function answer(error: Error & { code?: string }, socket: Socket): void {
    if (isClosing(socket) || socket.writableEnded) return;
    const { code = '' } = error;
    // The client has disconnected.
    if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const current = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage;
    if (current?.req.complete) {
      // An earlier request on this connection is still being answered. Its response must come first.
      current.once('finish', () => answer(error, socket));
      return;
    }
    const failure = FAILURES[code] ?? new Failure('badRequest');
    // The parser's code only, because its message may quote the request.
    log('info', 'unreadable request', { code, status: failure.status });
    if (current?.headersSent) socket.destroy();
    else closeGently(socket, lingerMs, textOf(answerOf(failure)));
  };
}

/** Node answers an unknown `Expect` with an empty 417, and does not answer `CONNECT` at all. */
export function answerUnsupported(server: Server, lingerMs: number): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = answerOf(failureOfStatus(417));
    closeGentlyAfter(request, lingerMs);
    response.writeHead(status, headers).end(body);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    const message = 'Expected a request to this server, which is not a proxy.';
    closeGently(socket as Socket, lingerMs, textOf(answerOf(new Failure('methodNotAllowed', message))));
  });
}

interface BareAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

function answerOf({ status, message }: Failure): BareAnswer {
  const body = JSON.stringify({ message });
  const headers = {
    ...DATA_HEADERS,
    ...{ 'Cache-Control': 'no-store', Vary: 'Origin', 'Content-Type': 'application/json; charset=utf-8' },
    ...{ 'Content-Length': Buffer.byteLength(body), Date: new Date().toUTCString(), Connection: 'close' },
  };
  return { status, headers, body };
}

function textOf({ status, headers, body }: BareAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** The format of a Host header: a name or an IP address, and a port (RFC 3986, section 3.2.2). */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;
/** Headers that must not occur twice, because a proxy may have read the other value. */
const SINGLE_HEADERS = ['Host', 'Authorization', 'Content-Type'];

/**
 * Refuses a body whose end a proxy may see elsewhere: the parser takes any coding before `chunked`, and HTTP/1.0 has none
 * (RFC 9112, section 6.1). Call it before everything else, because what follows may not be a request.
 *
 * @throws {Failure} that closes the connection
 */
export function refuseUnclearEnd({ raw }: FastifyRequest): void {
  const coding = raw.headers['transfer-encoding'];
  if (coding === undefined || (/^chunked$/i.test(coding) && raw.httpVersion !== '1.0')) return;
  throw new Failure('badRequest', BAD_FRAMING, { Connection: 'close' });
}

/**
 * Refuses ambiguous headers that Node accepts.
 *
 * @throws {Failure} for headers without a host (RFC 9112, section 3.2), with two hosts, or for too many headers
 */
export function refuseUnclearHead({ raw }: FastifyRequest): void {
  const { rawHeaders, headers, httpVersion } = raw;
  // Names and values alternate.
  const count = rawHeaders.length / 2;
  if (count > MAX_HEADERS) throw new Failure('headersTooLarge');
  if (count > Object.keys(headers).length) refuseRepeated(rawHeaders);
  const { host } = headers;
  if (host === undefined && httpVersion !== '1.0') throw bad('Expected a Host header.');
  if (host !== undefined && !HOST.test(host))
    throw bad('Expected a Host header with a host name and, if needed, a port.');
}

function refuseRepeated(rawHeaders: readonly string[]): void {
  for (const name of SINGLE_HEADERS) {
    const isIt = (other: string, index: number) =>
      index % 2 === 0 && other.toLowerCase() === name.toLowerCase();
    const count = rawHeaders.filter(isIt).length;
    if (count > 1) throw bad(`Expected one ${name} header, got ${count}.`);
  }
}
