/** `/healthz` and `/readyz`, for the operator's monitoring and load balancer. */
import type { FastifyPluginAsync } from 'fastify';

export interface HealthOptions {
  /** Why the service cannot do its work at the moment. `undefined` when it can. */
  readonly whyNotReady: () => string | undefined;
}

export const healthRoutes: FastifyPluginAsync<HealthOptions> = async (app, { whyNotReady }) => {
  /** The process answers. Restart it when it does not. */
  app.get('/healthz', async () => ({ status: 'ok' }));
  /** The service can do its work. Send it requests only then. */
  app.get('/readyz', async (_request, reply) => {
    const reason = whyNotReady();
    if (reason === undefined) return { status: 'ready' };
    return reply.code(503).header('Retry-After', '1').send({ status: 'not ready', message: reason });
  });
};
