/** Sends a file that is created while it is sent. A file that is cut off must not look complete. */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeError, type Log } from '../../core/log.ts';

/** The client exceeded the time limit of a download. The name is for the log. */
class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

export interface SendFileOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** How long it may take, in milliseconds. */
  readonly longestMs: number;
  /** Called once, at any end. */
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
  // A response that waits for earlier ones on its connection gets no event when the client disconnects.
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
  // `Range` is ignored, because the file is created while it is sent.
  return reply
    .headers({ 'Cache-Control': 'private, no-store', 'Accept-Ranges': 'none', ...headers })
    .send(file);
}
