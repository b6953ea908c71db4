/** Counts a caller's requests for each endpoint, and sends the rate limit headers. */
import type { FastifyReply } from 'fastify';
import type { Reason } from '../../protocol/result.ts';
import type { Limits } from '../config/sections/limits-section.ts';
import { Failure } from '../core/failures.ts';
import type { Key } from '../keys/key.ts';
import type { RateCount, RateLimit } from '../limits/rate-limit.ts';

/** The parts of the API that have a limit of their own. */
export type Endpoint = 'verify' | 'batch' | 'account';

/**
 * Counts one request, regardless of its response.
 *
 * @param sample the reason of its sample result, which also counts unless the request is over the limit. Only for a
 * private key of an account
 */
export type CountRate = (key: Key, endpoint: Endpoint, sample?: Reason) => Promise<RateCount>;

export type RateLimits = Pick<Limits, 'verifyPerSecond' | 'batchPerSecond' | 'accountPerSecond'>;

/**
 * The private keys and the apps of an account share its count. A public key has a count of its own, so that the visitors
 * of a page cause no 429 for the owner's server. So has a key of the config.
 */
export function createCountRate(limits: RateLimits, limiter: RateLimit): CountRate {
  return (key, endpoint, sample) => {
    const limit = limitOf(key, endpoint, limits);
    const subject = key.kind === 'private' && key.account ? key.account.id : key.id;
    // Counts are kept under the path.
    return limiter.consume({ subject, endpoint: `/v1/${endpoint}`, limit, sample });
  };
}

/** The limit of the account, or the config's. */
export const limitOf = ({ account }: Key, endpoint: Endpoint, limits: RateLimits): number =>
  account?.[`${endpoint}PerSecond`] ?? limits[`${endpoint}PerSecond`];

/** Sets the rate limit headers, and marks the request as counted. @throws {Failure} 429 if the limit is exceeded */
export function tellRate(reply: FastifyReply, { limit, remaining, resetsAt, isExceeded }: RateCount): void {
  reply.request.isCounted = true;
  reply.headers({
    'ratelimit-limit': limit,
    'ratelimit-remaining': remaining,
    // A time in seconds since 1970, as known clients of the interface read it.
    'ratelimit-reset': Math.ceil(resetsAt.getTime() / 1000),
  });
  // The full second has already begun, so waiting one second is always enough.
  if (isExceeded) throw new Failure('tooManyRequests', undefined, { 'Retry-After': '1' });
}
