/** Ends the service in order: what is being answered is answered, and nothing new is begun. */
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** A captcha provider or a verification may take ten seconds. A client that takes longer is cut off. */
const LONGEST_WAIT_MS = 12_000;

/** All of stopping. Requests take the most of it: a verification or a captcha provider may take ten seconds. */
const LONGEST_STOP_MS = 14_000;
/** What is left for a step when an earlier one took too long. */
const SHORTEST_STEP_MS = 500;

/** One step of stopping. It gets the time that is left, in milliseconds. */
export type End = (leftMs: number) => Promise<void>;

/**
 * Runs the steps one after the other. It returns within 15 seconds, even if a step hangs: a database that does not
 * answer must not keep the process from its end, and nothing can be put back there.
 */
export async function endAll(ends: readonly End[]): Promise<void> {
  const deadline = Date.now() + LONGEST_STOP_MS;
  const timeLeft = () => Math.max(SHORTEST_STEP_MS, deadline - Date.now());
  const inOrder = async () => {
    for (const end of ends) await end(timeLeft());
  };
  const patience = new AbortController();
  const latest = pause(LONGEST_STOP_MS + SHORTEST_STEP_MS, undefined, { signal: patience.signal });
  await Promise.race([inOrder(), latest]).finally(() => {
    latest.catch(() => {});
    patience.abort();
  });
}

/** Adds what an orderly end needs to the app; has to be called before it listens. @returns the function that ends it */
export function makeStoppable(app: FastifyInstance): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // Kept-alive connections would otherwise stay open for more requests.
    if (stopping) reply.header('Connection', 'close');
    done();
  });
  return () => {
    stopping ??= stop(app);
    return stopping;
  };
}

async function stop(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
  const limit = setTimeout(() => app.server.closeAllConnections(), LONGEST_WAIT_MS);
  await app.close();
  clearInterval(sweep);
  clearTimeout(limit);
}
