/**
 * `/v1/verify`. The checks stand in the order in which they are made: credential, origin or IP address, rate,
 * parameters, captcha, the day's ten addresses. So wrong requests use up no captcha token, foreign pages no limit.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Verifier } from '../../engine/verifier.ts';
import { type CaptchaCheck, checkCaptcha } from '../captcha/check-captcha.ts';
import { Failure } from '../failures.ts';
import { setReadableBy, setUnreadable } from '../http/answer-headers.ts';
import { clientIp } from '../http/client-ip.ts';
import { gatherParameters, type Parameters, queryParameters, wellFormedQuery } from '../http/parameters.ts';
import { answerPreflight } from '../http/preflight.ts';
import { senderOrigin } from '../http/sender-origin.ts';
import { admit } from '../keys/admission.ts';
import { type Caller, callerOfHead, findCaller } from '../keys/caller.ts';
import type { Key, KeyRing } from '../keys/key-ring.ts';
import type { UniquePerDayLimit } from '../limits/unique-per-day.ts';
import { documentPreflight, documentVerify } from './documentation.ts';
import { mergeParameters } from './parameters.ts';
import { MessageSchema, ResultSchema, TRY_AGAIN, VerifyParameters } from './schema.ts';

const PATH = '/v1/verify';
const DEFAULT_TIMEOUT_S = 5;

declare module 'fastify' {
  interface FastifyRequest {
    /** The key with which it was let in. */
    admitted: Key | undefined;
  }
}

export interface VerifyRouteOptions {
  readonly ring: KeyRing;
  readonly servesPages: boolean;
  readonly perSecond: RateLimiterMemory;
  readonly uniquePerDay: UniquePerDayLimit;
  readonly captcha: CaptchaCheck;
  readonly verifiers: { readonly test: Verifier; readonly live?: Verifier | undefined };
}

export const verifyRoute: FastifyPluginAsyncTypebox<VerifyRouteOptions> = async (app, options) => {
  const { ring, perSecond, uniquePerDay, captcha, verifiers } = options;
  /** Says who may read the answer, and lets the request in or not. One without a credential is not let in yet. */
  function enter(request: FastifyRequest, reply: FastifyReply, caller: Caller | undefined): Promise<void> {
    if (!caller) return Promise.resolve();
    request.caller = caller;
    const sender = { origin: senderOrigin(request, options.servesPages), ip: clientIp(request) };
    // The demo runs on its visitor's own machine, so its message may name the origin.
    const key = admit(caller.key, sender, options.servesPages);
    setReadableBy(reply, key, request.headers.origin);
    const isCounted = request.admitted !== undefined;
    request.admitted = key;
    return isCounted ? Promise.resolve() : countRequest(key, reply);
  }

  function countRequest(key: Key, reply: FastifyReply): Promise<void> {
    const tell = (count: RateLimiterRes) => {
      reply.headers({
        'ratelimit-limit': perSecond.points,
        'ratelimit-remaining': count.remainingPoints,
        // A point in time, in seconds, as the interface's known clients read it.
        'ratelimit-reset': Math.ceil((Date.now() + count.msBeforeNext) / 1000),
      });
      // The second that is full has begun already: one more is always enough.
      if (count.consumedPoints > perSecond.points)
        throw new Failure('tooManyRequests', undefined, { 'Retry-After': '1' });
    };
    // Refused in the same shape as allowed.
    return perSecond.consume(`${key.id} ${PATH}`).then(tell, tell);
  }

  /** A GET has no body to wait for. */
  function takeQuery(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
    take(request, wellFormedQuery(request));
    done();
  }

  async function takeQueryAndBody(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const parameters = await gatherParameters(request);
    // A body may bring the credential, or another one. Without a body all has been decided.
    if (parameters !== queryParameters(request)) {
      setUnreadable(reply);
      await enter(request, reply, findCaller(request, ring, parameters));
    }
    take(request, parameters);
  }

  function take(request: FastifyRequest, parameters: Parameters): void {
    if (!request.admitted) throw new Failure('credentialMissing');
    request.query = mergeParameters(parameters);
  }

  function refuseElevenths(isAllowed: boolean): void {
    if (isAllowed) return;
    const seconds = String(uniquePerDay.secondsToReset());
    throw new Failure('tooManyRequests', undefined, { 'Retry-After': seconds });
  }

  for (const method of ['GET', 'POST'] as const) {
    app.route({
      method,
      url: PATH,
      // The demo has it a second time, in bad weather (simulate.ts): that is nothing to rely on.
      ...(app.prefix ? {} : { config: { swaggerTransform: documentVerify(method) } }),
      schema: {
        // Query and body are one when validation comes: both have been gathered by then.
        querystring: VerifyParameters,
        response: { 200: ResultSchema, 249: MessageSchema, '4xx': MessageSchema, '5xx': MessageSchema },
      },
      // What is known from the headers is checked before a body is even read.
      onRequest: (request, reply) => enter(request, reply, callerOfHead(request, ring)),
      preValidation: method === 'GET' ? takeQuery : takeQueryAndBody,
      handler: async function verify(request, reply) {
        const key = request.admitted!;
        const { email, smtp = true, accept_all = false, timeout = DEFAULT_TIMEOUT_S } = request.query;
        const address = email.trim();
        const visitor =
          key.kind === 'public' && key.mode === 'live' ? { keyId: key.id, ip: clientIp(request) } : undefined;

        // Looked at before the captcha, which costs the visitor a token; counted after it, when others may have come in between.
        if (visitor) refuseElevenths(uniquePerDay.allows(visitor, address));
        if (key.kind === 'public' && key.captcha) {
          await checkCaptcha(captcha, key, key.captcha, request.query.captcha_response, clientIp(request));
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
    app.prefix ? {} : { config: { swaggerTransform: documentPreflight } },
    answerPreflight(ring, 'GET, HEAD, POST, OPTIONS'),
  );
};
