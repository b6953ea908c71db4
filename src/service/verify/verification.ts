/**
 * Handles requests of `/v1/verify` and `/v1/verify/explain`, after the checks of all routes (see `access`). The order
 * of checks: parameters, captcha, the daily limit, credits. So a wrong request costs neither a captcha token nor a
 * credit.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VerificationRequest, Verified, Verifier } from '../../engine/verifier.ts';
import { within } from '../../shared/within.ts';
import { type AccessRule, keyOf } from '../access/access.ts';
import { type CountRate, limitOf, tellRate } from '../access/request-rate.ts';
import { type CaptchaCheck, checkCaptcha } from '../captcha/check-captcha.ts';
import { GRACE_MS } from '../core/bounds.ts';
import { Failure, type FailureCode } from '../core/failures.ts';
import { moreCreditsOf } from '../credits/more-credits.ts';
import { databaseFailure } from '../database/database-failure.ts';
import type { Deps, Settings } from '../deps/deps.ts';
import { clientIp } from '../http/client-ip.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { KeyedRequest } from '../idempotency/idempotency-store.ts';
import type { Key, KeyRing } from '../keys/key.ts';
import type { Taken, UniquePerDayLimit, Visitor } from '../limits/unique-per-day.ts';
import type { SampleResult } from '../usage/usage-store.ts';
import type { Question } from './live/live-question.ts';
import type { LiveRequest, LiveVerifications } from './live/live-verifications.ts';
import { isProven, type ProofHeaderOptions } from './proof-header.ts';
import type { Renewals } from './renewals/renewals.ts';
import { type VerifyResponse, verifyLive, verifySample } from './verify-answer.ts';
import { mergeParameters } from './verify-parameters.ts';
import { TRY_AGAIN, type VerifyParameters } from './verify-schema.ts';

/** Both routes share the rate limit of this path. */
export const PATH = '/v1/verify';
const DEFAULT_TIMEOUT_S = 5;

/** What a service with a database adds. */
export interface VerifyDeps extends Pick<Deps, 'usage' | 'isPortClosed'> {
  /** Counts a result of a test key. */
  readonly countSample: (sample: SampleResult) => Promise<unknown>;
  /** Absent without a section `live`. Live keys then get a 503. */
  readonly live: LiveVerifications | undefined;
  readonly renewals: Renewals;
  readonly idempotency: Idempotency;
}

export interface VerifyRouteOptions extends ProofHeaderOptions {
  readonly ring: KeyRing;
  readonly countRate: CountRate;
  readonly settings: Pick<Settings, 'limits' | 'live' | 'billingPage' | 'support'>;
  /** The daily limit of a key's visitors. */
  readonly uniquePerDay: (key: Key) => UniquePerDayLimit;
  readonly captcha: CaptchaCheck;
  /** The verifier for test keys. */
  readonly sampleVerifier: Verifier;
  /** Called for each of its results that is sent. */
  readonly onSample: ((verified: Verified) => void) | undefined;
  /** Absent in a service without a database. Live keys then get a 503 that mentions the database. */
  readonly deps: VerifyDeps | undefined;
}

/** The verification that the parameters request. */
export function wantedOf(parameters: VerifyParameters): VerificationRequest {
  const { email, smtp = true, accept_all = false, timeout = DEFAULT_TIMEOUT_S } = parameters;
  return { address: email.trim(), smtp, acceptAll: accept_all, timeoutMs: timeout * 1000 };
}

/** The body of the response. Without a result, its status is a 249. */
export function bodyOf<Body>(
  reply: FastifyReply,
  { verified }: VerifyResponse,
  write: (verified: NonNullable<VerifyResponse['verified']>) => Body,
): Body | { message: string } {
  if (verified) return write(verified);
  // Node has no status message for 249.
  reply.raw.statusMessage = 'Try Again';
  reply.code(249);
  return { message: TRY_AGAIN };
}

/** Nothing was verified, because its credit was missing. */
const UNPAID: readonly FailureCode[] = ['creditsMissing', 'keySpent'];

export function createVerification(options: VerifyRouteOptions) {
  const { countRate, settings, uniquePerDay, captcha, sampleVerifier, onSample, deps } = options;
  const live = deps?.live;

  /**
   * Whether the statement that takes the credit or counts the sample result also counts the request, which saves a round
   * trip to the database. A public key's request may spend a captcha token before that, so it is counted when it enters.
   */
  const isCountedLater = ({ account, kind, mode }: Key) =>
    account !== undefined && kind === 'private' && (mode === 'test' || live !== undefined);

  async function refuseElevenths(limit: UniquePerDayLimit, isAllowed: boolean): Promise<void> {
    if (isAllowed) return;
    throw new Failure('tooManyRequests', undefined, { 'Retry-After': String(await limit.secondsToReset()) });
  }

  /**
   * The checks for visitors of pages, before the verification.
   *
   * @param visitor whose addresses are counted
   */
  async function checkVisitor(
    key: Key,
    request: FastifyRequest,
    { address }: VerificationRequest,
    visitor: Visitor | undefined,
  ): Promise<Taken> {
    if (key.kind !== 'public') return false;
    const ip = clientIp(request);
    const { captcha_response: token } = request.query as VerifyParameters;
    // Checked before the captcha and counted after it. So a used-up limit costs no token, and a failed captcha costs no
    // address.
    const limit = uniquePerDay(key);
    if (visitor) await refuseElevenths(limit, await limit.allows(visitor, address));
    if (key.captcha) await checkCaptcha(captcha, key.captcha, token, ip, key.trustsOrigin);
    const taken = visitor ? await limit.take(visitor, address) : false;
    if (visitor) await refuseElevenths(limit, taken !== false);
    return taken;
  }

  /** The same question by the same visitor, if its result has a proof and costs something. */
  function renewalOf(key: Key, wanted: VerificationRequest, visitor: Visitor | undefined) {
    if (!live || !visitor || !key.account || !isProven(wanted)) return undefined;
    const { renewals } = deps!;
    const { address, smtp, acceptAll } = wanted;
    const question: Question = { accountId: key.account.id, address, smtp, acceptAll };
    return {
      find: () => renewals.find(question, visitor),
      keep: (verified: Verified, longestMs: number) => renewals.keep(question, visitor, verified, longestMs),
    };
  }

  /**
   * Counts a result of a test key, and the request with it if that is not counted yet.
   *
   * @throws {Failure} 503 if the database does not count the request in time. A result may be counted later
   */
  async function countSample(
    key: Key,
    reply: FastifyReply,
    verified: Verified | undefined,
    leftMs: number,
  ): Promise<void> {
    const reason = verified?.result.reason;
    if (!reply.request.isCounted) {
      const rate = await within(leftMs, countRate(key, 'verify', reason));
      if (!rate) throw databaseFailure('limit');
      tellRate(reply, rate);
    } else if (deps && key.account && reason)
      await within(leftMs, deps.countSample({ accountId: key.account.id, reason }));
    if (verified) onSample?.(verified);
  }

  return {
    /** Who may verify. */
    access: { endpoint: 'verify', publicKeys: true, merge: mergeParameters, isCountedLater } as AccessRule,
    isCountedLater,
    /** @param keyed the request's `Idempotency-Key`. Such a request is already counted. */
    async run(
      request: FastifyRequest,
      reply: FastifyReply,
      wanted: VerificationRequest,
      keyed?: KeyedRequest,
    ): Promise<VerifyResponse> {
      const key = keyOf(request);
      const visitor =
        key.kind === 'public' && key.mode === 'live' ? { keyId: key.id, ip: clientIp(request) } : undefined;
      const renewal = renewalOf(key, wanted, visitor);
      const renewed = await renewal?.find();
      if (renewed) {
        await checkVisitor(key, request, wanted, undefined);
        return { verified: renewed, isStored: false };
      }
      // These checks come first. If verification is impossible, the request costs neither a token nor a credit.
      if (live && key.mode === 'live') {
        if (deps?.isPortClosed()) throw new Failure('portClosed');
        live.expectRoom(key.account?.id ?? key.id);
      }
      const taken = await checkVisitor(key, request, wanted, visitor);
      const end = performance.now() + wanted.timeoutMs + GRACE_MS;
      const leftMs = () => Math.max(end - performance.now(), 0);
      if (key.mode === 'test') {
        const answer = await verifySample(sampleVerifier, wanted);
        await countSample(key, reply, answer.verified, leftMs());
        return answer;
      }
      if (!live || !key.account) throw new Failure(deps ? 'liveUnavailable' : 'databaseMissing');
      const rate = keyed ? undefined : { endpoint: PATH, limit: limitOf(key, 'verify', settings.limits) };
      const isPublic = key.kind === 'public';
      const question: LiveRequest = {
        ...wanted,
        accountId: key.account.id,
        isPublic,
        rate: isCountedLater(key) ? rate : undefined,
        payer: isPublic ? { keyId: key.id, limit: key.dailyCredits } : undefined,
        response: keyed && { key: keyed.key, bodyOf: (result) => reply.serialize(result) as string },
      };
      // The visitors of a page are not those who pay.
      const more = isPublic ? {} : moreCreditsOf(settings, key.account.id);
      const answer = await verifyLive(live, reply, question, more).catch(async (error: unknown) => {
        // The visitor can ask again when the owner has credits. An address of before may have been paid.
        if (visitor && taken === 'new' && error instanceof Failure && UNPAID.includes(error.code))
          await uniquePerDay(key).giveBack(visitor, wanted.address);
        throw error;
      });
      if (answer.verified) await renewal?.keep(answer.verified, leftMs());
      return answer;
    },
  };
}
