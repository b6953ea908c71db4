/**
 * `/v1/verify`. After what all routes check (see `access`), the checks stand in the order in which they are made:
 * parameters, captcha, the day's ten addresses, credits. So a wrong request uses up no captcha token and no credit.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Verifier } from '../../engine/verifier.ts';
import type { VerificationResult } from '../../interface/result.ts';
import { type AccessRule, keyOf } from '../access/access.ts';
import { answerPreflight } from '../access/preflight.ts';
import { type CountRate, limitOf, type RateLimits, tellRate } from '../access/rate.ts';
import { type CaptchaCheck, checkCaptcha } from '../captcha/check-captcha.ts';
import { Failure } from '../failures.ts';
import { clientIp } from '../http/client-ip.ts';
import { keyedRequest, runOnce } from '../idempotency/header.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Key, KeyRing } from '../keys/key.ts';
import type { UniquePerDayLimit } from '../limits/unique-per-day.ts';
import { type Answer, verifyLive, verifySample } from './answer.ts';
import { documentPreflight, documentVerify } from './documentation.ts';
import type { LiveVerifications } from './live/live-verifications.ts';
import { mergeParameters } from './parameters.ts';
import { MessageSchema, ResultSchema, TRY_AGAIN, VerifyParameters } from './schema.ts';

const PATH = '/v1/verify';
const DEFAULT_TIMEOUT_S = 5;

export interface VerifyRouteOptions {
  readonly ring: KeyRing;
  readonly countRate: CountRate;
  readonly limits: RateLimits;
  /** The day's limit of a key's visitors. */
  readonly uniquePerDay: (key: Key) => UniquePerDayLimit;
  readonly captcha: CaptchaCheck;
  /** What test keys get. */
  readonly sampleVerifier: Verifier;
  /** What live keys of an account get. Without it, they get a 503. */
  readonly live: LiveVerifications | undefined;
  /** Absent in a service without a database. Then live keys get a 503 that names the database. */
  readonly idempotency: Idempotency | undefined;
}

/** Has to be added to a scope whose routes are guarded. */
export const verifyRoute: FastifyPluginAsyncTypebox<VerifyRouteOptions> = async (app, options) => {
  const { ring, countRate, limits, uniquePerDay, captcha, sampleVerifier, live, idempotency } = options;

  /**
   * Whether the request is counted by the statement that takes the credit: one round trip to the database in the place
   * of two. A public key's request may spend a captcha before that, so it is counted when it enters.
   */
  const isCountedLater = (key: Key) =>
    live !== undefined && key.account !== undefined && key.mode === 'live' && key.kind === 'private';
  const access: AccessRule = { endpoint: 'verify', publicKeys: true, merge: mergeParameters, isCountedLater };

  const countNow = async (key: Key, reply: FastifyReply) => tellRate(reply, await countRate(key, 'verify'));

  function refuseElevenths(limit: UniquePerDayLimit, isAllowed: boolean): void {
    if (isAllowed) return;
    throw new Failure('tooManyRequests', undefined, { 'Retry-After': String(limit.secondsToReset()) });
  }

  /** What a visitor of a page has to pass before anything is verified. */
  async function checkVisitor(
    key: Key,
    request: FastifyRequest,
    address: string,
    token?: string,
  ): Promise<void> {
    if (key.kind !== 'public') return;
    const ip = clientIp(request);
    const visitor = key.mode === 'live' ? { keyId: key.id, ip } : undefined;
    // Checked before the captcha and counted after it: a used-up limit costs no token, a failed captcha no address.
    const limit = uniquePerDay(key);
    if (visitor) refuseElevenths(limit, await limit.allows(visitor, address));
    if (key.captcha) await checkCaptcha(captcha, key.captcha, token, ip, key.trustsOrigin);
    if (visitor) refuseElevenths(limit, await limit.take(visitor, address));
  }

  /** Sets the status of a response, and returns its body. */
  function toResponse(reply: FastifyReply, { result }: Answer): VerificationResult | { message: string } {
    if (result) return result;
    // Node has no words for 249.
    reply.raw.statusMessage = 'Try Again';
    reply.code(249);
    return { message: TRY_AGAIN };
  }

  // The demo has the route a second time, in trouble (simulate.ts): its documentation leaves that out.
  const documented = (transform: ReturnType<typeof documentVerify>) =>
    app.prefix ? {} : { swaggerTransform: transform };

  for (const method of ['GET', 'POST'] as const) {
    app.route({
      method,
      url: PATH,
      config: { access, ...documented(documentVerify(method)) },
      schema: {
        // Query and body are one when validation comes: both have been gathered by then.
        querystring: VerifyParameters,
        response: { 200: ResultSchema, 249: MessageSchema, '4xx': MessageSchema, '5xx': MessageSchema },
      },
      handler: async function verify(request, reply) {
        const key = keyOf(request);
        const { email, smtp = true, accept_all = false, timeout = DEFAULT_TIMEOUT_S } = request.query;
        const wanted = {
          address: email.trim(),
          smtp,
          acceptAll: accept_all,
          timeoutMs: timeout * 1000,
        };
        const keyed = idempotency && keyedRequest(request, key, PATH, wanted);
        if (keyed && isCountedLater(key)) await countNow(key, reply);
        // A repeated response needs none of this: a captcha token works only once.
        const run = async (): Promise<Answer> => {
          await checkVisitor(key, request, wanted.address, request.query.captcha_response);
          if (key.mode === 'test') return verifySample(sampleVerifier, wanted);
          if (!live || !key.account) throw new Failure(idempotency ? 'liveUnavailable' : 'databaseMissing');
          const rate = keyed ? undefined : { endpoint: PATH, limit: limitOf(key, 'verify', limits) };
          return verifyLive(live, reply, {
            ...wanted,
            accountId: key.account.id,
            rate: isCountedLater(key) ? rate : undefined,
            response: keyed && { key: keyed.key, bodyOf: (result) => reply.serialize(result) as string },
          });
        };
        if (!keyed) return toResponse(reply, await run());
        return runOnce(idempotency, keyed, reply, async () => {
          const { result, isStored } = await run();
          const body = toResponse(reply, { result, isStored });
          return { status: reply.statusCode, body: reply.serialize(body) as string, isStored };
        });
      },
    });
  }

  app.options(
    PATH,
    { config: documented(documentPreflight) },
    answerPreflight(ring, 'GET, HEAD, POST, OPTIONS'),
  );
};
