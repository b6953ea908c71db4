/** Counts a caller's requests for each endpoint, and sends the rate limit headers. */
import type { FastifyReply } from 'fastify';
import type { Limits } from '../config/sections/limits-section.ts';
import { Failure } from '../core/failures.ts';
import type { Key } from '../keys/key.ts';
import type { RateCount, RateLimit } from '../limits/rate-limit.ts';

/** The parts of the API that have a limit of their own. */
export type Endpoint = 'verify' | 'batch' | 'account';

/** The names under which counts are kept. */
const PATHS: Readonly<Record<Endpoint, string>> = {
  verify: '/v1/verify',
  batch: '/v1/batch',
  account: '/v1/account',
};

/** Counts one request, regardless of its response. */
export type CountRate = (key: Key, endpoint: Endpoint) => Promise<RateCount>;

export type RateLimits = Pick<Limits, 'verifyPerSecond' | 'batchPerSecond' | 'accountPerSecond'>;

/** All keys of an account share its count. A key of the config has a count of its own. */
export function createCountRate(limits: RateLimits, limiter: RateLimit): CountRate {
  return (key, endpoint) => {
    const limit = limitOf(key, endpoint, limits);
    return limiter.consume({ accountId: key.account?.id ?? key.id, endpoint: PATHS[endpoint], limit });
  };
}

/** The limit of the account, or the config's. */
export function limitOf({ account }: Key, endpoint: Endpoint, limits: RateLimits): number {
  return account?.[`${endpoint}PerSecond`] ?? limits[`${endpoint}PerSecond`];
}

/**
 * Sets the rate limit headers, and marks the request as counted.
 *
 * @throws {Failure} 429 if the limit is exceeded
 */
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
