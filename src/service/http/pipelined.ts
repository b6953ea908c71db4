/** Bounds the requests that a client sends on one connection without waiting for their responses. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_PIPELINED } from '../core/bounds.ts';

/** How many responses of a connection wait for an earlier one. */
const waiting = new WeakMap<Socket, number>();

/**
 * Closes the connection of a client that sends too many. Node reads a thousand small requests at once, and begins all of
 * them before any other client's. So the limit comes before everything that a request costs.
 */
export function limitPipelined(server: Server): void {
  const [listener, ...others] = server.listeners('request') as RequestListener[];
  if (!listener || others.length > 0) throw new Error('Expected one listener for requests.');
  server.removeListener('request', listener);
  server.on('request', (request, response) => {
    if (mayRun(request, response)) listener(request, response);
  });
}

function mayRun({ socket }: IncomingMessage, response: ServerResponse): boolean {
  // Node gives a response its socket when the earlier ones have been sent. So other requests cost nothing here.
  if (response.socket !== null) return true;
  // What Node had read before the end of the connection.
  if (socket.destroyed) return false;
  const count = (waiting.get(socket) ?? 0) + 1;
  waiting.set(socket, count);
  response.once('close', () => waiting.set(socket, waiting.get(socket)! - 1));
  if (count < MAX_PIPELINED) return true;
  socket.destroy();
  return false;
}
