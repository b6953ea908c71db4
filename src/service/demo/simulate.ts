/**
 * The failures that the demo simulates: `/simulate/<failure>/<delay in ms>/v1/verify` is `/v1/verify`, later and with that
 * failure. Pages reach it by the widget's `baseUrl`. The service checks a request as usual before it simulates anything.
 */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, type FailureCode, Refusal } from '../failures.ts';
import { type VerifyRouteOptions, verifyRoute } from '../verify/route.ts';
import { TRY_AGAIN } from '../verify/schema.ts';

const LONGEST_DELAY_MS = 30_000;
/** How many addresses are remembered that have been asked to come again. */
const MOST_REMEMBERED = 1000;

/** The token that the demo's captcha gives. */
export const SOLVED = 'solved';

interface Asked {
  readonly reply: FastifyReply;
  readonly address: string;
  readonly token: string | undefined;
}

/** Simulates a failure. If it returns without a response, the true response follows. */
type Trouble = (asked: Asked) => void;

const failure = (code: FailureCode, message?: string) => () => {
  throw new Failure(code, message);
};

/** What a network that wants a login first puts in the place of every answer. */
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
      // Of what is torn down before it has been sent, nothing would arrive.
      reply.raw.write('{"state":"deliver', () => reply.raw.destroy());
    },
    offline: ({ reply }) => {
      reply.hijack();
      reply.raw.destroy();
    },
    // Until whoever asks gives up, or the connection has been still for too long.
    'no-answer': ({ reply }) => {
      reply.hijack();
      // Closed on one side, it would wait for the answer.
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
    // Fastify goes on to the handler unless it is given back a reply that was sent.
    return reply.sent ? reply : undefined;
  });
  await app.register(verifyRoute, { ...options, prefix: '/simulate/:trouble/:delayMs' });
};
