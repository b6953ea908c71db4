/** Stops the service in order: it finishes open requests and takes no new work. */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { within } from '../../shared/within.ts';

/** A captcha provider or a verification may take ten seconds. A client that takes longer is cut off. */
const LONGEST_WAIT_MS = 12_000;

/**
 * The limit for stopping. Requests take most of it, because a verification or a captcha provider may take ten seconds.
 */
const LONGEST_STOP_MS = 14_000;
/** The least time for a step, even if earlier ones took too long. */
const SHORTEST_STEP_MS = 500;

/** How often to close connections that are idle by now. */
const SWEEP_MS = 50;

/** One step of stopping. It gets the remaining time in milliseconds. */
export type End = (leftMs: number) => Promise<void>;

/**
 * Runs the steps one after the other. It returns within 15 seconds even if a step hangs, because a database that does
 * not answer must not prevent the process from ending.
 */
export async function endAll(ends: readonly End[]): Promise<void> {
  const deadline = Date.now() + LONGEST_STOP_MS;
  const timeLeft = () => Math.max(SHORTEST_STEP_MS, deadline - Date.now());
  const inOrder = async () => {
    for (const end of ends) await end(timeLeft());
  };
  await within(LONGEST_STOP_MS + SHORTEST_STEP_MS, inOrder());
}

/** Prepares the app for an orderly stop. Call it before the app listens. @returns the function that stops it */
export function makeStoppable(app: FastifyInstance): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  const connections = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // Otherwise, keep-alive connections would stay open for more requests.
    if (stopping) reply.header('Connection', 'close');
    done();
  });
  return () => {
    stopping ??= stop(app, connections);
    return stopping;
  };
}

async function stop(app: FastifyInstance, connections: ReadonlySet<Socket>): Promise<void> {
  const sweep = setInterval(() => {
    app.server.closeIdleConnections();
    // Browsers open connections before they need them. Node does not count one as idle before its first request.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  }, SWEEP_MS);
  const limit = setTimeout(() => app.server.closeAllConnections(), LONGEST_WAIT_MS);
  await app.close();
  clearInterval(sweep);
  clearTimeout(limit);
}
