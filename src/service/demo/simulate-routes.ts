/**
 * Simulates failures for the demo: `/simulate/<failure>/<delay in ms>/v1/verify` is `/v1/verify` with that delay and
 * failure. Pages use it by the widget's `baseUrl`. The service checks the request as usual first.
 */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, type FailureCode, Refusal } from '../core/failures.ts';
import { type VerifyRouteOptions, verifyRoute } from '../verify/verify-route.ts';
import { TRY_AGAIN } from '../verify/verify-schema.ts';

const LONGEST_DELAY_MS = 30_000;
/** How many addresses with a simulated 249 are remembered. */
const MOST_REMEMBERED = 1000;

/** The token of the demo's captcha. */
const SOLVED = 'solved';

interface Asked {
  readonly reply: FastifyReply;
  readonly address: string;
  readonly token: string | undefined;
}

/** Simulates a failure. If it sends no response, the real response follows. */
type Trouble = (asked: Asked) => void;

const failure = (code: FailureCode, message?: string) => () => {
  throw new Failure(code, message);
};

/** The page that a network with a login portal returns for every request. */
const FOREIGN_PAGE = '<!doctype html><title>Welcome</title><p>Sign in to use this network.</p>';

function createTroubles(): Readonly<Record<string, Trouble>> {
  const sentBack = new Set<string>();
  return {
    none: () => {},
    'try-again': ({ reply }) => void reply.code(249).send({ message: TRY_AGAIN }),
    'try-again-once': ({ reply, address }) => {
      if (sentBack.delete(address)) return;
      if (sentBack.size >= MOST_REMEMBERED) sentBack.clear();
      sentBack.add(address);
      reply.code(249).send({ message: TRY_AGAIN });
    },
    'rate-limit': failure('tooManyRequests'),
    'key-refused': () => {
      throw new Refusal('simulated');
    },
    'server-error': failure('internal'),
    maintenance: failure('maintenance'),
    captcha: ({ token }) => {
      if (token !== SOLVED) throw new Refusal('simulated', 'captchaFailed');
    },
    nonsense: ({ reply }) => void reply.type('application/json').send('{"state":"perhaps"}'),
    'foreign-page': ({ reply }) => void reply.type('text/html').send(FOREIGN_PAGE),
    'cut-off': ({ reply }) => {
      reply.hijack();
      reply.raw.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 500 });
      // Destroys the connection only after the write, because otherwise the client would receive no bytes.
      reply.raw.write('{"state":"deliver', () => reply.raw.destroy());
    },
    offline: ({ reply }) => {
      reply.hijack();
      reply.raw.destroy();
    },
    // Waits until the client gives up, or the connection times out.
    'no-answer': ({ reply }) => {
      reply.hijack();
      // If the client closes its side, the connection would still wait for the response.
      reply.raw.socket?.once('end', () => reply.raw.destroy());
    },
  };
}

export const simulateRoutes: FastifyPluginAsync<VerifyRouteOptions> = async (app, options) => {
  const troubles = createTroubles();

  app.addHook('preHandler', async function simulate(request: FastifyRequest, reply) {
    const { trouble: name, delayMs } = request.params as { trouble: string; delayMs: string };
    const trouble = Object.hasOwn(troubles, name) ? troubles[name] : undefined;
    if (!trouble || !/^\d{1,5}$/.test(delayMs) || Number(delayMs) > LONGEST_DELAY_MS)
      throw new Failure('notFound');
    if (Number(delayMs) > 0) await new Promise((resolve) => setTimeout(resolve, Number(delayMs)));
    const { email, captcha_response: token } = request.query as { email: string; captcha_response?: string };
    trouble({ reply, address: email, token });
    // Fastify runs the handler unless the hook returns a sent reply.
    return reply.sent ? reply : undefined;
  });
  await app.register(verifyRoute, { ...options, prefix: '/simulate/:trouble/:delayMs' });
};
