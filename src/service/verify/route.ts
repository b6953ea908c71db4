/**
 * `/v1/verify`. After what all routes check (see `access`), the checks stand in the order in which they are made:
 * parameters, captcha, the day's ten addresses. So wrong requests use up no captcha token, foreign pages no limit.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Verifier } from '../../engine/verifier.ts';
import { type AccessRule, keyOf } from '../access/access.ts';
import { answerPreflight } from '../access/preflight.ts';
import { type CaptchaCheck, checkCaptcha } from '../captcha/check-captcha.ts';
import { Failure } from '../failures.ts';
import { clientIp } from '../http/client-ip.ts';
import type { KeyRing } from '../keys/key.ts';
import type { UniquePerDayLimit } from '../limits/unique-per-day.ts';
import { documentPreflight, documentVerify } from './documentation.ts';
import { mergeParameters } from './parameters.ts';
import { MessageSchema, ResultSchema, TRY_AGAIN, VerifyParameters } from './schema.ts';

const PATH = '/v1/verify';
const DEFAULT_TIMEOUT_S = 5;
const ACCESS: AccessRule = { endpoint: 'verify', publicKeys: true, merge: mergeParameters };

export interface VerifyRouteOptions {
  readonly ring: KeyRing;
  readonly uniquePerDay: UniquePerDayLimit;
  readonly captcha: CaptchaCheck;
  readonly verifiers: { readonly test: Verifier; readonly live?: Verifier | undefined };
}

/** Has to be added to a scope whose routes are guarded. */
export const verifyRoute: FastifyPluginAsyncTypebox<VerifyRouteOptions> = async (app, options) => {
  const { ring, uniquePerDay, captcha, verifiers } = options;

  function refuseElevenths(isAllowed: boolean): void {
    if (isAllowed) return;
    const seconds = String(uniquePerDay.secondsToReset());
    throw new Failure('tooManyRequests', undefined, { 'Retry-After': seconds });
  }

  // The demo has the route a second time, in trouble (simulate.ts): its documentation leaves that out.
  const documented = (transform: ReturnType<typeof documentVerify>) =>
    app.prefix ? {} : { swaggerTransform: transform };

  for (const method of ['GET', 'POST'] as const) {
    app.route({
      method,
      url: PATH,
      config: { access: ACCESS, ...documented(documentVerify(method)) },
      schema: {
        // Query and body are one when validation comes: both have been gathered by then.
        querystring: VerifyParameters,
        response: { 200: ResultSchema, 249: MessageSchema, '4xx': MessageSchema, '5xx': MessageSchema },
      },
      handler: async function verify(request, reply) {
        const key = keyOf(request);
        const { email, smtp = true, accept_all = false, timeout = DEFAULT_TIMEOUT_S } = request.query;
        const address = email.trim();
        const ip = clientIp(request);
        const visitor = key.kind === 'public' && key.mode === 'live' ? { keyId: key.id, ip } : undefined;

        // Looked at before the captcha, which costs the visitor a token; counted after it, when others may have come in between.
        if (visitor) refuseElevenths(uniquePerDay.allows(visitor, address));
        if (key.kind === 'public' && key.captcha) {
          await checkCaptcha(captcha, key.captcha, request.query.captcha_response, ip, key.trustsOrigin);
        }
        if (visitor) refuseElevenths(uniquePerDay.take(visitor, address));

        const verifier = verifiers[key.mode];
        if (!verifier) throw new Failure('liveUnavailable');
        const { result } = await verifier({
          address,
          smtp,
          acceptAll: accept_all,
          timeoutMs: timeout * 1000,
        });
        if (!result) {
          // Node knows no words for 249.
          reply.raw.statusMessage = 'Try Again';
          return reply.code(249).send({ message: TRY_AGAIN });
        }
        return result;
      },
    });
  }

  app.options(
    PATH,
    { config: documented(documentPreflight) },
    answerPreflight(ring, 'GET, HEAD, POST, OPTIONS'),
  );
};
