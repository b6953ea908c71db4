/** The routes that answer 503 in a service without a database: accounts, batches and OAuth. */
import type { FastifyPluginAsync } from 'fastify';
import { ACCOUNT_ACCESS } from '../../account/account-schema.ts';
import { Failure } from '../../core/failures.ts';

const OAUTH = [
  ['GET', '/oauth/authorize'],
  ['POST', '/oauth/token'],
  ['POST', '/oauth/revoke'],
  ['POST', '/oauth/device/code'],
] as const;

function refuse(): never {
  throw new Failure('databaseMissing');
}

/** Must be registered in a scope with guarded routes. The credential is checked first, as with a database. */
export const databaseMissingRoutes: FastifyPluginAsync = async (app) => {
  app.get('/v1/account', { config: { access: ACCOUNT_ACCESS }, handler: refuse });
  const access = { ...ACCOUNT_ACCESS, endpoint: 'batch' } as const;
  for (const method of ['GET', 'POST'] as const)
    app.route({ method, url: '/v1/batch', config: { access }, handler: refuse });
  // OAuth's clients have no API key.
  for (const [method, url] of OAUTH) app.route({ method, url, onRequest: refuse, handler: refuse });
};
