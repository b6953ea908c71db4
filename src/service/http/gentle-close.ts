/**
 * Closes connections whose clients may still be sending (RFC 9112, section 9.6): closed at once, with unread bytes,
 * they would be reset, and a reset takes the answer away from a client that has not read it yet.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const closing = new WeakSet<Socket>();

/** Whether the last answer has been given on this connection: whatever still comes is no request. */
export function isClosing(socket: Socket): boolean {
  return closing.has(socket);
}

/** Sends the last answer, which belongs to no request; all that still comes is thrown away. */
export function closeGently(socket: Socket, lingerMs: number, lastAnswer: string): void {
  if (closing.has(socket)) return;
  socket.removeAllListeners('data');
  socket.on('data', () => {});
  socket.resume();
  socket.write(lastAnswer);
  end(socket, lingerMs);
}

/** Makes the close after the answer to a request that was not read whole a gentle one. */
export function closeGentlyAfter(request: IncomingMessage, lingerMs: number): void {
  // What Node's server calls when it has handed over the last answer of a connection.
  request.socket.destroySoon = () => {
    request.unpipe();
    request.resume();
    end(request.socket, lingerMs);
  };
}

/** Sends no more, and waits for the client to close too, or for its time to run out. */
function end(socket: Socket, lingerMs: number): void {
  closing.add(socket);
  // The client may reset the connection itself: that is a way to close it.
  socket.on('error', () => {});
  socket.end();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
