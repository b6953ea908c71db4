/** Sends a file that is made while it is sent. What breaks off must not look like a whole file. */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeError, type Log } from '../../log.ts';

/** The client took longer than a download may take. Its name is for the log. */
class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

export interface SendFileOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** How long it may take, in milliseconds. */
  readonly longestMs: number;
  /** Called once, however it ends. */
  readonly release: () => void;
  readonly log: Log;
}

export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: Readable,
  { headers, longestMs, release, log }: SendFileOptions,
): FastifyReply {
  const late = setTimeout(() => file.destroy(new TooSlowError('The client is too slow.')), longestMs);
  // Node does not tell a response that waits for earlier ones of its connection when the client leaves.
  const { socket } = request.raw;
  const leave = () => void file.destroy();
  socket.once('close', leave);
  file.once('close', () => {
    clearTimeout(late);
    socket.off('close', leave);
    release();
  });
  file.once('error', (error) => {
    log('warn', 'download cut off', describeError(error));
    // In HTTP/1.0, which proxies speak, the end of a connection is the end of a file. A reset is not.
    socket.resetAndDestroy();
  });
  // `Range` is not looked at, because the file does not exist before it is sent.
  return reply
    .headers({ 'Cache-Control': 'private, no-store', 'Accept-Ranges': 'none', ...headers })
    .send(file);
}
