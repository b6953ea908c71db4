/**
 * Closes connections whose clients may still be sending (RFC 9112, section 9.6). Closing at once, with unread bytes,
 * would reset the connection, and the client would lose a response that it has not read yet.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const closing = new WeakSet<Socket>();
const ending = new WeakSet<Socket>();

/** Whether this connection has had its last response. Later bytes are not requests. */
export function isClosing(socket: Socket): boolean {
  return closing.has(socket);
}

/** Whether the last response of this connection is on its way. What follows it may not be a request, so none is run. */
export function isEnding(socket: Socket): boolean {
  return ending.has(socket) || closing.has(socket);
}

/** Sends the last response, which belongs to no request, and discards all later bytes. */
export function closeGently(socket: Socket, lingerMs: number, lastAnswer: string): void {
  if (closing.has(socket)) return;
  socket.removeAllListeners('data');
  socket.on('data', () => {});
  socket.resume();
  socket.write(lastAnswer);
  end(socket, lingerMs);
}

/** Closes the connection gently after the response to a request that was not fully read. */
export function closeGentlyAfter(request: IncomingMessage, lingerMs: number): void {
  ending.add(request.socket);
  // Node's server calls this after the last response of a connection.
  request.socket.destroySoon = () => {
    request.unpipe();
    request.resume();
    end(request.socket, lingerMs);
  };
}

/** Ends our side, and waits until the client closes its side or the time is over. */
function end(socket: Socket, lingerMs: number): void {
  closing.add(socket);
  // The client may also reset the connection.
  socket.on('error', () => {});
  socket.end();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
