/**
 * Serves the metrics at `/metrics` on a separate port, because they are for the operator, and the service's port is
 * public.
 */
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import type { Metrics } from './metrics.ts';

/** A scraper sends only a few short headers. */
const LONGEST_REQUEST_MS = 10_000;
const MOST_HEAD_BYTES = 8 * 1024;
const MOST_CONNECTIONS = 100;
const UNREADABLE = 'The figures cannot be read with this request.';

export function createMetricsServer(metrics: Pick<Metrics, 'read' | 'contentType'>): FastifyInstance {
  const app = fastify({
    bodyLimit: 1024,
    requestTimeout: LONGEST_REQUEST_MS,
    connectionTimeout: LONGEST_REQUEST_MS,
    keepAliveTimeout: LONGEST_REQUEST_MS,
    // For a URL with broken escapes, which the framework's own message would quote.
    frameworkErrors: (_error, _request, reply) => refuse(reply as FastifyReply, 400),
    http: { maxHeaderSize: MOST_HEAD_BYTES, headersTimeout: LONGEST_REQUEST_MS },
  });
  app.server.maxConnections = MOST_CONNECTIONS;
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    done();
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.read()));
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ message: 'Expected GET /metrics, which is the only URL on this port.' }),
  );
  app.setErrorHandler((error: { statusCode?: number }, _request, reply) =>
    refuse(reply, error.statusCode ?? 500),
  );
  return app;
}

function refuse(reply: FastifyReply, status: number): void {
  reply.code(status).send({ message: UNREADABLE });
}
