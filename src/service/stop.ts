/** Ends the service in order: what is being answered is answered, and nothing new is begun. */
import type { FastifyInstance } from 'fastify';

/** A captcha provider or a verification may take ten seconds. A client that takes longer is cut off. */
const LONGEST_WAIT_MS = 12_000;

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
