/** `/healthz` and `/readyz`, for the operator's monitoring and load balancer. */
import type { FastifyPluginAsync } from 'fastify';

export interface HealthOptions {
  /** Why the service is not ready. `undefined` if it is ready. */
  readonly whyNotReady: () => string | undefined;
}

export const healthRoutes: FastifyPluginAsync<HealthOptions> = async (app, { whyNotReady }) => {
  /** Liveness. Restart the process if this does not respond. */
  app.get('/healthz', async () => ({ status: 'ok' }));
  /** Readiness. Send requests only while this returns 200. */
  app.get('/readyz', async (_request, reply) => {
    const reason = whyNotReady();
    if (reason === undefined) return { status: 'ready' };
    return reply.code(503).header('Retry-After', '1').send({ status: 'not ready', message: reason });
  });
};
