/** `/login/oidc/logout`: the provider says here that a person has signed out there. */
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { databaseFailure } from '../../database/database-failure.ts';
import type { Deps } from '../../deps/deps.ts';
import { clientIp } from '../../http/client-ip.ts';
import { bodyParameters } from '../../http/parameters.ts';
import type { NetworkRule } from '../../limits/network-limit.ts';
import { createStoredNetworkLimit } from '../../limits/stored-network-limit.ts';
import { checkLogoutToken, endLoggedOut } from './logout-token.ts';
import type { Provider } from './provider.ts';

/** How many tokens of a network are checked. Everybody can send some. */
const CHECKED: NetworkRule = { name: 'logout tokens', most: 50, seconds: 1 };
/** Tokens have some hundred characters. */
const LONGEST_TOKEN = 16_384;

const ADVICE =
  'The sessions go on. Check that the provider sends its logout tokens for this client, and that the clocks of both machines are right.';

export interface LogoutRouteOptions {
  readonly deps: Pick<Deps, 'db' | 'log' | 'isReady' | 'trouble'>;
  readonly provider: Provider;
}

/** Belongs to no scope of pages, because the provider sends neither a cookie nor a form of this service. */
export const logoutRoute: FastifyPluginAsync<LogoutRouteOptions> = async (app, { deps, provider }) => {
  const { db, log } = deps;
  const limit = createStoredNetworkLimit(db, CHECKED);

  function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
    return reply.code(status).send({ error: 'invalid_request', error_description: message });
  }

  app.post('/login/oidc/logout', async (request, reply) => {
    reply.header('Cache-Control', 'no-store');
    if (!deps.isReady()) throw databaseFailure(deps.trouble());
    const seconds = await limit.count(clientIp(request));
    if (seconds > 0)
      return refuse(reply.header('Retry-After', String(seconds)), 429, 'Too many requests. Try again later.');
    const values = (await bodyParameters(request)).get('logout_token') ?? [];
    const [token] = values;
    if (values.length !== 1 || typeof token !== 'string' || token.length > LONGEST_TOKEN)
      return refuse(reply, 400, 'Expected the parameter logout_token once.');
    const found = await provider.find();
    if (!found)
      return refuse(reply.header('Retry-After', '60'), 503, 'The keys cannot be read. Try again later.');
    const checked = await checkLogoutToken(found, token);
    if (checked.kind === 'refused') {
      log('warn', 'logout token refused', { ...checked.details, advice: ADVICE });
      return refuse(reply, 400, 'The logout token is not valid.');
    }
    const ended = await endLoggedOut(db, checked);
    if (ended === undefined) return refuse(reply, 400, 'The logout token was used before.');
    log('info', 'provider ended sessions', { sessions: ended });
    return reply.code(200).send();
  });
};
